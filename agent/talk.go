package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// talked renders a talk as messages. The same turns make the same messages, so that a
// longer talk begins with the messages of a shorter one.
func (p *prompter) talked(talk record.Talk) ([]llm.Message, error) {
	var messages []llm.Message
	if talk.Cut > 0 {
		part, lines := partShort, talk.ShortLines()
		if p.state.Task.Thread != "" {
			part, lines = partThread, talk.SaidLines()
		}
		text, err := render("short.md", struct{ Lines []string }{p.window.last(part, lines)})
		if err != nil {
			return nil, err
		}
		messages = append(messages, llm.Message{Speaker: llm.User, Content: text})
	}
	batches := map[int64]bool{}
	var beside []llm.Message // said while the model wrote the next reply: it comes behind that
	for i, t := range talk.Turns {
		if i >= talk.Cut && t.Beside {
			beside = append(beside, llm.Message{Speaker: llm.User, Content: t.Said.String()})
			continue
		}
		switch {
		case i < talk.Cut:
		case t.Round != nil:
			text, err := render("round.md", t.Round)
			if err != nil {
				return nil, err
			}
			messages = append(messages, llm.Message{Speaker: llm.User, Content: p.window.text(partResult, text, "")})
		case !sendable(t.Call):
			if said := strings.TrimSpace(t.Reply + "\n" + t.Call.Arguments); said != "" {
				messages = append(messages, llm.Message{Speaker: llm.Assistant, Content: said})
			}
			messages = append(messages, llm.Message{Speaker: llm.User, Content: t.Said.String()})
		case t.Batch == 0 || !batches[t.Batch]:
			batches[t.Batch] = true
			messages = append(messages, batch(talk.Turns, i)...)
		}
		messages, beside = append(messages, beside...), nil
	}
	return append(messages, beside...), nil
}

// sendable reports whether a call can be sent back as one: servers refuse arguments that
// are no JSON object.
func sendable(call llm.ToolCall) bool {
	var object map[string]json.RawMessage
	return call.Name != "" && json.Unmarshal([]byte(call.Arguments), &object) == nil
}

// batch renders the reply to which the turn at first belongs: its calls, then their results,
// which must follow them at once.
func batch(turns []record.Turn, first int) []llm.Message {
	said := llm.Message{Speaker: llm.Assistant}
	var results []llm.Message
	for i := first; i < len(turns); i++ {
		t := turns[i]
		if i > first && (t.Batch == 0 || t.Batch != turns[first].Batch) || !sendable(t.Call) {
			continue
		}
		call := t.Call
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", i+1) // some servers send none, all want one back
		}
		result := t.Said.String()
		if t.Step != "" {
			result = fmt.Sprintf("[%s] %s", t.Step, result)
		}
		if said.Content == "" {
			said.Content = t.Reply
		}
		said.ToolCalls = append(said.ToolCalls, call)
		results = append(results, llm.Message{Speaker: llm.ToolReply, CallID: call.ID, Content: result})
	}
	return append([]llm.Message{said}, results...)
}

// readable reads a file for the model, or says why it is not shown.
func (p *prompter) readable(path string) (f workspace.File, why string) {
	if key, err := p.workspace.Key(path); err == nil && p.may.Hides(key) && p.may.Exists(key) {
		return f, "may hold secrets; to read it with " + action.GetFullFileContent + ", the user is asked"
	}
	f, err := p.overlay.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, "does not exist"
	case err != nil:
		return f, err.Error()
	}
	return f, ""
}

const (
	// maxTold is of how many files at once it is told how they changed, as far as these
	// changes have a share of the window: of more, the model reads what it needs.
	maxTold = 4
	// maxNamed is how many files that changed are named at once; a formatter changes hundreds.
	maxNamed = 30
	// maxTexts bounds the texts that are kept for telling how files changed, in bytes.
	maxTexts = 32 << 20
)

// tellChanges tells CASE how files that it knows changed since, and what commands made
// anew: as it is told of what the user typed, or of what going back took away. told is true
// where there was something to tell.
func (r *run) tellChanges() (told bool, err error) {
	p := r.prompter()
	most := p.window.of(partChanged)
	known := r.state.ShownNow()
	if err := r.noteEdits(slices.Sorted(maps.Keys(known))); err != nil {
		return false, err
	}
	var b record.FilesShown
	var names []string
	for _, path := range slices.Sorted(maps.Keys(known)) {
		f, why := p.readable(path)
		if why == "" && f.Hash == known[path].Hash {
			continue
		}
		shown, name := action.Shown{Path: path, Hash: f.Hash}, path // a version of which no line was shown
		old, have := r.texts.of(known[path].Hash)
		switch diff := workspace.TextDiff(path, old, f.Text); {
		case why != "":
			shown.Hash, name = "", name+": "+why
		case !have || len(diff) > most || len(b.Quote)+len(diff) > maxTold*most:
			name += ": read what you need of it"
		default:
			shown = known[path].Carry(f.Hash, old, f.Text)
			b.Quote += diff
			r.texts.keep(f.Hash, f.Text)
		}
		b.Shown = append(b.Shown, shown)
		names = append(names, name)
	}
	if len(names) == 0 {
		return false, nil
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	b.Text = "Files that changed since you read or wrote them, or that a command made:\n"
	if b.More = bullets(names); b.Quote != "" {
		b.More = "\n" + b.More
	}
	return true, r.record(b)
}

// texts are the texts of files that the model knows, by content hash, as long as the
// process runs: they are never written down, for they may hold what the journal must not.
type texts struct {
	list map[string]string
	size int
}

func (t *texts) keep(hash, text string) {
	if t.list == nil || t.size > maxTexts {
		t.list, t.size = map[string]string{}, 0
	}
	if _, ok := t.list[hash]; !ok {
		t.list[hash] = text
		t.size += len(text)
	}
}

// beginning is the text whose hash begins so.
func (t *texts) beginning(hash string) (text string, ok bool) {
	for h, text := range t.list {
		if hash != "" && strings.HasPrefix(h, hash) {
			return text, true
		}
	}
	return "", false
}

func (t *texts) of(hash string) (text string, ok bool) {
	text, ok = t.list[hash]
	return text, ok || hash == record.Unshown
}
