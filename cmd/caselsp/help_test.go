package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMarkdown renders the documents of testdata/markdown: each is an archive of a
// document and of what a terminal shows of it, in 60 columns without colours.
func TestMarkdown(t *testing.T) {
	files, err := filepath.Glob("testdata/markdown/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil || len(archive.Files) != 2 {
			t.Fatalf("%s: %d files, %v", file, len(archive.Files), err)
		}
		got := renderMarkdown(string(archive.Files[0].Data), 60, false)
		if want := string(archive.Files[1].Data); got != want {
			t.Errorf("%s:\n got\n%s\nwant\n%s", file, got, want)
			if archive.Files[1].Data = []byte(got); *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestTopics looks at every topic on terminals of several widths: none is empty,
// and nothing but code is wider than the terminal.
func TestTopics(t *testing.T) {
	for _, topic := range topics {
		text := topic.text()
		if strings.Count(text, "\n") < 5 {
			t.Errorf("the topic %s has only %q", topic.name, text)
		}
		for _, width := range []int{60, 80, 100} {
			for line := range strings.Lines(renderMarkdown(text, width, false)) {
				line = strings.TrimSuffix(line, "\n")
				if n := len([]rune(line)); n > width && !strings.HasPrefix(line, "    ") && strings.ContainsRune(strings.TrimSpace(line), ' ') {
					t.Errorf("topic %s in %d columns: a line has %d: %s", topic.name, width, n, line)
				}
			}
		}
	}
}
