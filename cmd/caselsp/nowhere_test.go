package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// nowhere fails the scenario where a text stands in a file below one of the
// folders, in what the command last wrote, or in what the model was sent: as it
// is, or as programs write it.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: nowhere TEXT FOLDER...")
	}
	forms := formsOf(args[0])
	search := func(where string, data []byte) {
		for name, form := range forms {
			if bytes.Contains(data, []byte(form)) {
				ts.Fatalf("%s holds %s, %s", where, args[0], name)
			}
		}
	}
	search("standard output", []byte(ts.ReadFile("stdout")))
	search("standard error", []byte(ts.ReadFile("stderr")))
	if s := ts.Value(modelKey{}).(*scripted).server; s != nil {
		for _, r := range s.Requests() {
			search("a request to the model", r.Body)
		}
	}
	for _, folder := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			search(path, data)
			return err
		}))
	}
}

// formsOf returns the ways in which programs write a text, by what they are called.
func formsOf(text string) map[string]string {
	digits := hex.EncodeToString([]byte(text))
	quoted, _ := json.Marshal(text) // a string always can be
	again, _ := json.Marshal(string(quoted))
	spaced := fmt.Sprintf("% x", text)
	return map[string]string{
		"in JSON":                    string(quoted[1 : len(quoted)-1]),
		"in JSON within JSON":        string(again[3 : len(again)-3]),
		"in HTML":                    html.EscapeString(text),
		"as in a path of a URL":      url.PathEscape(text),
		"in hexadecimal, spaced":     spaced,
		"in hexadecimal, with :":     strings.ReplaceAll(spaced, " ", ":"),
		"in base64 for URLs":         strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(text)), "="),
		"as it is":                   text,
		"in base64":                  strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(text)), "="),
		"in base64, as a part":       base64.StdEncoding.EncodeToString([]byte("x" + text))[2 : 4*((len(text)+1)/3)],
		"in hexadecimal":             digits,
		"in hexadecimal, capitals":   strings.ToUpper(digits),
		"as in a URL":                url.QueryEscape(text),
		"over a line break":          text[:len(text)/2] + "\n" + text[len(text)/2:],
		"over a line break, in JSON": text[:len(text)/2] + `\n` + text[len(text)/2:],
	}
}
