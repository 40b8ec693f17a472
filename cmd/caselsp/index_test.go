package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"caselsp/sandbox"

	"github.com/rogpeppe/go-internal/testscript"
)

// startIndex serves an index of Python's on this machine's loopback that has one
// package, "answer" 1.0, made here: its NUMBER is 42. It points the settings at it.
// With "far" the index keeps the package itself at another place, $FAR.
func startIndex(ts *testscript.TestScript, neg bool, args []string) {
	far := len(args) == 1 && args[0] == "far"
	if neg || len(args) > 0 && !far {
		ts.Fatalf("usage: index [far]")
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
	s := httptest.NewServer(pages)
	ts.Defer(s.Close)
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(buf.Bytes()) }))
	ts.Defer(files.Close)
	elsewhere := sandbox.HostMachine + strings.TrimPrefix(files.URL, "http://127.0.0.1")
	pages.HandleFunc("/simple/answer/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		host := r.Host
		if far {
			host = elsewhere
		}
		fmt.Fprintf(w, `<a href="http://%s/%s">%s</a>`, host, wheel, wheel)
	})
	pages.HandleFunc("/"+wheel, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(buf.Bytes()) })
	ts.Setenv("CASELSP_SANDBOX_INDEXES_PYTHON", s.URL+"/simple")
	ts.Setenv("FAR", elsewhere)
}
