package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// startIndex serves an index of Python's on this machine's loopback that has one
// package, "answer" 1.0, made here: its NUMBER is 42. It points the settings at it.
func startIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: index")
	}
	const info, wheel = "answer-1.0.dist-info/", "answer-1.0-py3-none-any.whl"
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range [][2]string{
		{"answer.py", "NUMBER = 42\n"},
		{info + "METADATA", "Metadata-Version: 2.1\nName: answer\nVersion: 1.0\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", "answer.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n"},
	} {
		to, err := w.Create(f[0])
		ts.Check(err)
		_, err = io.WriteString(to, f[1])
		ts.Check(err)
	}
	ts.Check(w.Close())
	pages := http.NewServeMux()
	pages.HandleFunc("/simple/answer/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="/%s">%s</a>`, wheel, wheel)
	})
	pages.HandleFunc("/"+wheel, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(buf.Bytes()) })
	s := httptest.NewServer(pages)
	ts.Defer(s.Close)
	ts.Setenv("CASELSP_SANDBOX_INDEXES_PYTHON", s.URL+"/simple")
}
