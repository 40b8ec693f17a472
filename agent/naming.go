package agent

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// What a message in a thread names with @ is shown along with it: a file, lines of one
// (@app.py:10-20), a folder, or the declarations of a symbol (@parse_date, @Server.Close). What cannot be shown is
// said to the user and to the model.

const (
	// maxMentions is how many names of a message are looked up: more is a text that was pasted.
	maxMentions = 20
	// maxDeclared is how many declarations of one name are shown; of more, the user means one.
	maxDeclared = 3
	// maxCandidates is how many files are named where a name fits several.
	maxCandidates = 5
)

var (
	// mention is a name behind @, which is no part of an address.
	mention = lazyregexp.New("(?:^|[\\s(\\[\"'`])@([^\\s@\"'`]+)")
	// atLines are lines behind a path.
	atLines = lazyregexp.New(`^(.+):(\d+)(?:-(\d+))?$`)
)

// mentions are the names in a message, each once.
func mentions(text string) (list []string) {
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		name := strings.TrimRight(m[1], ".,;:!?)]}")
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// naming is the record of a message, with what it names.
func (r *run) naming(ctx context.Context, m Message) (b record.Message, err error) {
	b.Text = m.Text
	names := mentions(m.Text)
	if len(names) == 0 && m.Focus == nil {
		return b, nil
	}
	n := &namer{r: r, opening: opening{p: r.prompter(), about: m.Text}, message: &b}
	n.left = n.p.window.of(partNamed)
	if n.entries, _, err = n.p.entries(ctx); err != nil {
		return b, err
	}
	if f := m.Focus; f != nil {
		n.file("the place in the editor", f.Path, f.FromLine, f.ToLine)
	}
	for i, name := range names {
		if i == maxMentions {
			b.Missing = append(b.Missing, fmt.Sprintf("%d more names: at most %d are looked up", len(names)-i, maxMentions))
			break
		}
		if err := n.look(ctx, name); err != nil {
			return b, err
		}
	}
	b.Quote = strings.TrimRight(n.Quote, "\n")
	// Of a file that is known as it was before, the model is told next what changed, which counts from there.
	known := r.state.ShownNow()
	b.Shown = slices.DeleteFunc(n.Shown, func(s action.Shown) bool { k, ok := known[s.Path]; return ok && k.Hash != s.Hash })
	return b, nil
}

// namer looks up what a message names.
type namer struct {
	opening
	message *record.Message
	r       *run
	entries []workspace.Entry
}

// look shows what a name means: a file, a folder, the end of a path, or a symbol.
func (n *namer) look(ctx context.Context, name string) error {
	path, from, to := strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/"), 0, 0
	if m := atLines.FindStringSubmatch(path); m != nil {
		path = m[1]
		from, _ = strconv.Atoi(m[2]) // digits: what is no number of a line is said by Show
		to, _ = strconv.Atoi(m[3])
		to = max(from, to)
	}
	var below, ends []string
	for _, e := range n.entries {
		switch {
		case e.Path == path:
			n.file("@"+name, path, from, to)
			return nil
		case strings.HasPrefix(e.Path, path+"/"):
			below = append(below, e.Path)
		case strings.HasSuffix(e.Path, "/"+path):
			ends = append(ends, e.Path)
		}
	}
	switch {
	case len(below) > 0:
		n.folder(name, path, below)
		return nil
	case len(ends) == 1:
		n.file("@"+name, ends[0], from, to)
		return nil
	case len(ends) > 1:
		n.missing("@%s: %d files end so (%s): write more of the path", name, len(ends), someOf(ends))
		return nil
	}
	if _, err := n.p.workspace.Key(path); err != nil { // it is outside of the workspace
		n.missing("@%s: %v", name, err)
		return nil
	}
	if _, why := n.p.readable(path); why != "does not exist" { // git ignores it, or it may hold secrets
		n.file("@"+name, path, from, to)
		return nil
	}
	return n.symbol(ctx, name, path)
}

// someOf names the first of a list.
func someOf(list []string) string {
	if len(list) <= maxCandidates {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:maxCandidates], ", ") + " and others"
}

func (n *namer) missing(format string, args ...any) {
	n.message.Missing = append(n.message.Missing, fmt.Sprintf(format, args...))
}

// file shows a file, or lines of it.
func (n *namer) file(what, path string, from, to int) {
	f, why := n.p.readable(path)
	if why == "" && n.r.tells(path, f.Text) {
		why = "may hold secrets; to read it with " + action.GetFullFileContent + ", the user is asked"
	}
	if why == "" {
		n.r.concealRead([]action.Place{action.File(path)})
		switch {
		case from == 0 && to == 0:
			why = n.show(path, f)
		case n.covered(path, from, min(to, action.LineCount(f.Text))):
			return
		default:
			to, why = n.lines(what, path, f, from, min(to, action.LineCount(f.Text)))
		}
	}
	if why != "" {
		if !strings.HasPrefix(why, path+" ") { // errors of reading name it
			why = path + " " + why
		}
		n.missing("%s: %s", what, why)
		return
	}
	n.r.texts.keep(f.Hash, f.Text)
	line := path
	switch {
	case to > 0:
		line = fmt.Sprintf("%s, lines %d to %d", path, from, to)
	case !n.covered(path, 1, action.LineCount(f.Text)):
		line += ", its outline and some lines, because it is long"
	}
	n.message.Named = append(n.message.Named, line)
}

// covered reports whether the message shows lines already.
func (n *namer) covered(path string, from, to int) bool {
	return slices.ContainsFunc(n.Shown, func(s action.Shown) bool {
		return s.Path == path && (s.Full || slices.ContainsFunc(s.Ranges, func(r action.Range) bool { return r.From <= from && to <= r.To }))
	})
}

// lines shows lines of a file, as many of the first as fit, or says why not. last is the last one shown.
func (n *namer) lines(what, path string, f workspace.File, from, to int) (last int, why string) {
	text, shown, err := action.Show(path, f.Text, f.Hash, from, to, n.left)
	for last = to; err != nil && last > from; {
		last = from + (last-from)/2
		text, shown, err = action.Show(path, f.Text, f.Hash, from, last, n.left)
	}
	if err != nil {
		return 0, "is not shown: " + err.Error()
	}
	n.add(text+"\n", shown)
	if last < to {
		n.missing("%s: lines %d to %d of %s: they do not fit", what, last+1, to, path)
	}
	return last, ""
}

// folder lists what lies in a folder.
func (n *namer) folder(name, path string, files []string) {
	text := cutText(fmt.Sprintf("%s/ (%s)\n%s\n", path, count.Of(len(files), "file"), strings.Join(files, "\n")), min(n.left, n.p.window.of(partListing)), ": list it by glob")
	n.add(text+"\n", action.Shown{})
	n.message.Named = append(n.message.Named, fmt.Sprintf("%s/, %s by name", path, count.Of(len(files), "file")))
}

// symbol shows the declarations of a name.
func (n *namer) symbol(ctx context.Context, name, path string) error {
	last, of := path, ""
	if i := strings.LastIndexAny(path, ".:"); i >= 0 {
		last, of = path[i+1:], strings.TrimRight(path[:i], ".:")
	}
	skip := func(key string) bool { return n.p.may.Hides(key) }
	found, _, err := n.r.overlay.Symbols(ctx, last, "", skip)
	if err != nil {
		return fmt.Errorf("the symbols of the workspace cannot be read: %w", err)
	}
	var around []workspace.Found
	if of != "" {
		owner := of[strings.LastIndexAny(of, ".:")+1:]
		if around, _, err = n.r.overlay.Symbols(ctx, owner, "", skip); err != nil {
			return err
		}
		around = slices.DeleteFunc(around, func(s workspace.Found) bool { return s.Name != owner })
	}
	found = slices.DeleteFunc(found, func(s workspace.Found) bool {
		return s.Name != last || of != "" && !slices.ContainsFunc(around, func(o workspace.Found) bool { return o.Path == s.Path && belongs(s, o) })
	})
	if len(found) == 0 {
		n.missing("@%s: there is no such file or symbol", name)
		return nil
	}
	for i, s := range found {
		if i == maxDeclared {
			n.missing("@%s: %d more declarations of this name (%s): write more of it, such as @Type.name, or @file:lines", name, len(found)-i, someOf(placesIn(found[i:])))
			break
		}
		n.file("@"+name, s.Path, s.Range.Start.Line+1, s.Range.End.Line+1)
	}
	return nil
}

// placesIn are the places of symbols.
func placesIn(list []workspace.Found) (places []string) {
	for _, s := range list {
		places = append(places, fmt.Sprintf("%s:%d", s.Path, s.Range.Start.Line+1))
	}
	return places
}

// belongs reports whether a symbol is one of another: declared within it, or a method of
// it that stands beside it.
func belongs(s, of workspace.Found) bool {
	within := func(a, b syntax.Range) bool {
		return a.Start.Line >= b.Start.Line && a.End.Line <= b.End.Line && a != b
	}
	return within(s.Range, of.Range) || regexp.MustCompile(`\b`+regexp.QuoteMeta(of.Name)+`\b`).MatchString(strings.SplitN(s.Signature, s.Name, 2)[0])
}
