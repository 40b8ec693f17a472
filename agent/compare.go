package agent

import (
	"path"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/stack"
	"caselsp/agent/syntax"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// compare compares a failure with how the tests went before the task, for which they run once
// on the files as they were then. compared is true where something was recorded.
func (r *run) compare() (compared bool, err error) {
	f, t := r.state.Feature(), r.state.LastTest
	if len(t.Failing) == 0 || t.Outcome != stack.Failed || !r.a.outside.compares() || r.ownTests(t.Command()) {
		return false, nil
	}
	before, known := r.state.Baseline(t.Command())
	if !known && r.state.LostTests >= maxLostTests {
		return false, nil // how they went then cannot be found out
	}
	if !known {
		return true, r.runTests(t.Command(), "Run the tests on the files as they were before, to see what failed then.", true)
	}
	if !before.Usable || before.OK || slices.ContainsFunc(t.Failing, func(name string) bool { return !slices.Contains(before.Failing, name) }) {
		return false, nil
	}
	named := r.asked(t.Results) || r.reaches(before.Results, t.Results)
	return true, r.record(record.Compared{Named: named, Returned: named && !f.Returned && f.Round < r.a.Limits.Rounds})
}

// ownTests reports whether a command line names a file that this task has made: then there is
// nothing to compare it with.
func (r *run) ownTests(line string) bool {
	words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t'\"=:;&|()", c) })
	return slices.ContainsFunc(r.overlay.ChangeSet().Files, func(c workspace.Change) bool {
		return c.Before == nil && slices.Contains(words, c.Path)
	})
}

// anyWord is what names something in a test's name, in an error or in code.
var anyWord = lazyregexp.New(`[A-Za-z_][\w./-]*\w`)

// plainTest is a word of a test's name that says no more than that it is one.
var plainTest = lazyregexp.New(`(?i)^_*(unit)?tests?(case|ing)?_*$`)

// asked reports whether the task's text names a test that failed: its function or class, its file, or its title.
func (r *run) asked(failed *record.Results) bool {
	if failed == nil {
		return false
	}
	text := r.state.Task.Text
	words := anyWord.FindAllString(text, -1)
	for _, t := range failed.Bad() {
		parts := strings.FieldsFunc(t.Name, func(c rune) bool { return strings.ContainsRune(" :>[](),", c) })
		for _, part := range append(parts, t.File, path.Base(t.File)) {
			last := part[strings.LastIndexByte(part, '.')+1:]
			for _, name := range []string{part, last} {
				if strings.Contains(strings.ToLower(name), "test") && !plainTest.MatchString(name) && slices.Contains(words, name) {
					return true
				}
			}
		}
		title := t.Name[strings.LastIndex(t.Name, " > ")+1:]
		if title = strings.TrimPrefix(title, "> "); strings.Contains(title, " ") && strings.Contains(text, title) {
			return true
		}
	}
	return false
}

// reaches reports whether a test fails for another reason than before the task, and what is new in the
// reason, or the name of the test, names something that the task has changed.
func (r *run) reaches(before, now *record.Results) bool {
	if before == nil || now == nil {
		return false
	}
	changed := r.changedNames()
	for _, t := range now.Bad() {
		i := slices.IndexFunc(before.Bad(), func(o testreport.Test) bool { return o.Name == t.Name })
		if i < 0 {
			continue
		}
		known := before.Bad()[i].Reason()
		fresh := slices.DeleteFunc(t.Reason(), func(line string) bool { return slices.Contains(known, line) })
		if len(fresh) == 0 {
			continue
		}
		for _, w := range anyWord.FindAllString(strings.Join(append(fresh, t.Name), "\n"), -1) {
			last := w[strings.LastIndexByte(w, '.')+1:]
			if changed[w] || changed[last] || changed[strings.TrimPrefix(strings.TrimPrefix(last, "test_"), "Test")] {
				return true
			}
		}
	}
	return false
}

// changedNames are the names of what the task has changed: files, the declarations around changed lines,
// and the words of these lines that are names.
func (r *run) changedNames() map[string]bool {
	names := map[string]bool{}
	note := func(text string) {
		for _, w := range anyWord.FindAllString(text, -1) {
			if len(w) >= shortestName {
				names[w] = true
			}
		}
	}
	for _, c := range r.overlay.ChangeSet().Files {
		base := path.Base(c.Path)
		names[c.Path], names[base], names[strings.TrimSuffix(base, path.Ext(base))] = true, true, true
		outline := syntax.Parse(syntax.LanguageOf(c.Path), textOf(c.After)).Outline()
		for _, h := range c.Hunks {
			note(strings.Join(slices.Concat(h.Old, h.New), "\n"))
			at := h.NewLine - 1
			for list := outline; ; {
				i := slices.IndexFunc(list, func(s syntax.Symbol) bool { return s.StartLine <= at+max(0, len(h.New)-1) && at <= s.EndLine })
				if i < 0 {
					break
				}
				names[list[i].Name], list = true, list[i].Children
			}
		}
	}
	return names
}

// shortestName is the shortest word of code that names something: shorter ones are in every line.
const shortestName = 4

// testPath is a file whose name says that it holds tests.
var testPath = lazyregexp.New(`(?i)(^|[/_.-])(tests?|specs?)([/_.-]|$)`)
