package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/syntax"
)

// TestFacts: what a file uses is counted without its own declarations, and files that strings name are uses.
func TestFacts(t *testing.T) {
	for path, tt := range map[string]struct{ text, imports, uses string }{
		"views.py": {"from .models import Post\nfrom .models import Tag\n\ndef show(request):\n    # Post in a comment\n    return render(request, 'blog/show.html', {'p': Post.find(1)})\n",
			".models", "Post 2, Tag 1, find 1, models 2, render 1, request 2, show.html 1"},
		"show.html":   {"{% extends \"base.html\" %}\n<script src=\"js/app.js\"></script>\n", "base.html", "app.js 1, base.html 1, script 2"},
		"future.py":   {"from __future__ import annotations\nimport os\n", "__future__ os", "annotations 1, os 1"},
		"data.json":   {"{}", "", ""},
		"notes.txt":   {"def x", "", ""},
		"Main.java":   {"import a.B;\nclass Main { void run() { new B().go(this.run()); } }\n", "a.B", "go 1, run 1"},
		"store.tsx":   {"import x from './x';\nexport const Show = () => <X/>;\n", "./x", ""},
		"empty.py":    {"", "", ""},
		"server.go":   {"package a\n\nimport \"fmt\"\n\nfunc (s *Server) Close() { fmt.Println(s.name) }\n", "fmt", "Println 1, Server 1, fmt 1, name 1"},
		"counter.cpp": {"#include \"counter.h\"\nint ns::Counter::next() { return ++count_; }\n", "counter.h", "Counter 1, count_ 1, counter.h 1, ns 1"},
	} {
		f := syntax.FactsOf(path, tt.text)
		if f == nil {
			if syntax.Outlined(path) {
				t.Errorf("%s: no facts", path)
			}
			continue
		}
		var uses []string
		for _, u := range f.Uses {
			uses = append(uses, fmt.Sprintf("%s %d", u.Name, u.Count))
		}
		if got := strings.Join(uses, ", "); got != tt.uses {
			t.Errorf("%s: uses %q, want %q", path, got, tt.uses)
		}
		if got := strings.Join(f.Imports, " "); got != tt.imports {
			t.Errorf("%s: imports %q, want %q", path, got, tt.imports)
		}
	}
}
