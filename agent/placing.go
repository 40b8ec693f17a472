package agent

import (
	"context"
	"strconv"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/codemap"
	"caselsp/agent/record"
	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// A task in one loop begins with what a person would look at first: the names of the files, and
// the places that it speaks of with the function around them. So a small change takes one
// request, in which the edit and FINISH_FEATURE come together.

const (
	// maxWhole is up to how many lines a file is shown whole for the place in it.
	maxWhole = 200
	// maxAround is how many lines around a place are shown where no function of a fit length is
	// around it, and beside the function those above it: comments and decorators.
	maxAround, maxAbove = 60, 8
	// maxUnplaced is up to how many lines a file is shown that is named without a place in it.
	maxUnplaced = 500
	// maxPlaces is how many files that the task's text names are shown.
	maxPlaces = 3
	// maxTaskListing bounds the names of files that are shown, in bytes: about 80; the model can list more.
	maxTaskListing = 4 << 10
)

// spot is a place that a task speaks of: a file, and lines in it from 1; 0: none.
type spot struct {
	path     string
	from, to int
}

// pathWord finds what may be the name of a file in a text, with a line behind it.
var pathWord = lazyregexp.New(`[\pL\pN_./@+-]+\.[\pL\pN]+(?::(\d+))?|[\pL\pN_.@+-]+(?:/[\pL\pN_.@+-]+)+(?::(\d+))?`)

// spots are the places that a task speaks of: that in the editor, and the files that its text
// names and that exist.
func (p *prompter) spots(t record.Task) []spot {
	var list []spot
	known := map[string]bool{}
	if f := t.Focus; f != nil {
		list = append(list, spot{f.Path, f.FromLine, f.ToLine})
		known[f.Path] = true
	}
	for _, word := range pathWord.FindAllString(t.Text, -1) {
		path, at, _ := strings.Cut(strings.TrimRight(word, "."), ":")
		path = strings.TrimPrefix(path, "./")
		if known[path] || len(list) >= maxPlaces {
			continue
		}
		known[path] = true
		if _, err := p.overlay.Read(path); err != nil {
			continue // only a word
		}
		line, _ := strconv.Atoi(at)
		list = append(list, spot{path, line, line})
	}
	return list
}

// openTask shows CASE what a task in one loop speaks of.
func (r *run) openTask(ctx context.Context) error {
	p := r.prompter()
	budget := p.window.of(partOpening) // most of the window is for the work
	entries, more, err := p.entries(ctx)
	if err != nil {
		return err
	}
	b := record.FilesShown{Opens: true, Text: "The workspace, as it is now. Read what else you need; an edit and " + action.FinishFeatureName + " can come in one reply.\n"}
	b.Quote = p.listing(entries, more, maxTaskListing) + "\n" + p.madeWith(entries)
	spots := p.spots(r.state.Task)
	var named, missing []string
	for _, s := range spots {
		named = append(named, s.path)
	}
	if rules := p.rules(entries, named); rules != "" {
		b.Text += rulesNote + "\n"
		b.Quote += "\n" + rules
	}
	if r.state.Asked && len(r.state.Recalled) > 0 {
		b.Quote += "\nSimilar past work:\n" + enumerated(p.window.first(partRecalled, r.state.Recalled))
	}
	for _, s := range spots {
		f, why := p.readable(s.path)
		if why != "" {
			missing = append(missing, s.path+": "+why)
			continue
		}
		r.seeFixture(s.path, f.Text)
		from, to := around(s, f.Text)
		if s.from <= 0 && strings.Count(f.Text, "\n") > maxUnplaced {
			b.Quote += "\nThe outline of " + p.outline(s.path, f.Text)
			continue
		}
		text, shown, err := action.Show(s.path, f.Text, f.Hash, from, to, budget)
		if err != nil || to > 0 {
			b.Quote += "\nThe outline of " + p.outline(s.path, f.Text)
		}
		if err != nil || len(text) > budget {
			continue
		}
		budget -= len(text)
		b.Quote += "\n" + text
		b.Shown = append(b.Shown, shown)
	}
	if r.state.Task.Focus == nil { // a place in the editor says where; without one, CASE has to look
		around, err := r.codeMap(ctx, p, entries, codemap.Query{Text: r.state.Task.Text, Paths: named}, codeMap, named, b.Quote)
		if err != nil {
			return err
		}
		b.Quote += "\nCode that the task may touch:\n" + around
	}
	if len(missing) > 0 {
		b.More = "\nNot shown:\n" + bullets(missing)
	}
	return r.record(b)
}

// around returns the lines to show for a place: the whole file where it is short (0, 0), else
// the function around the place.
func around(s spot, text string) (from, to int) {
	lines := action.LineCount(text)
	if lines <= maxWhole || s.from <= 0 {
		return 0, 0
	}
	from, to = s.from-maxAround, s.to+maxAround
	if lang := syntax.LanguageOf(s.path); lang != "" {
		best := maxWhole
		for _, symbol := range syntax.Parse(lang, text).Outline() {
			first, last := symbol.StartLine+1, symbol.EndLine+1
			if first <= s.from && s.to <= last && last-first < best {
				best, from, to = last-first, first-maxAbove, last
			}
		}
	}
	return min(max(from, 1), lines), min(to, lines)
}
