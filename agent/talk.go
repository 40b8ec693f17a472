package agent

import (
	"context"
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
func talked(talk record.Talk) ([]llm.Message, error) {
	var messages []llm.Message
	if talk.Cut > 0 {
		text, err := render("short.md", struct{ Lines []string }{talk.ShortLines()})
		if err != nil {
			return nil, err
		}
		messages = append(messages, llm.Message{Speaker: llm.User, Content: text})
	}
	batches := map[int64]bool{}
	for i, t := range talk.Turns {
		switch {
		case i < talk.Cut:
		case t.Round != nil:
			text, err := render("round.md", t.Round)
			if err != nil {
				return nil, err
			}
			messages = append(messages, llm.Message{Speaker: llm.User, Content: text})
		case !sendable(t.Call):
			if said := strings.TrimSpace(t.Reply + "\n" + t.Call.Arguments); said != "" {
				messages = append(messages, llm.Message{Speaker: llm.Assistant, Content: said})
			}
			messages = append(messages, llm.Message{Speaker: llm.User, Content: t.Said.String()})
		case t.Batch == 0 || !batches[t.Batch]:
			batches[t.Batch] = true
			messages = append(messages, batch(talk.Turns, i)...)
		}
	}
	return messages, nil
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
		if t.Step > 0 {
			result = fmt.Sprintf("[step %d] %s", t.Step, result)
		}
		if said.Content == "" {
			said.Content = t.Reply
		}
		said.ToolCalls = append(said.ToolCalls, call)
		results = append(results, llm.Message{Speaker: llm.ToolReply, CallID: call.ID, Content: result})
	}
	return append([]llm.Message{said}, results...)
}

// converse asks the model of a role with a prompt, which it shortens first where it would
// not fit into the model's window.
func (r *run) converse(ctx context.Context, role string, verbs []*action.Verb, prompt func(*prompter, context.Context) ([]llm.Message, error)) error {
	messages, err := prompt(r.prompter(), ctx)
	if err != nil {
		return err
	}
	size := estimateTokens(requestBytes(&llm.Request{Messages: messages, Tools: tools(verbs)}), r.state.TokensPerByte)
	if size > r.a.Context*3/4 { // the rest is for the answer
		if cut := cutAt(&r.state.Talk, r.a.Context*bytesPerToken/4); cut > r.state.Cut {
			if err := r.record(record.Compacted{Turns: cut, Why: fmt.Sprintf("the request has about %d tokens, and the window of the model %d", size, r.a.Context)}); err != nil {
				return err
			}
			if messages, err = prompt(r.prompter(), ctx); err != nil {
				return err
			}
		}
	}
	return r.consult(ctx, role, messages, verbs)
}

// cutAt returns how many of the first turns of a talk are to be shortened so that the
// others have at most so many bytes. It never parts the calls of one reply, and keeps the
// latest: the model has not seen their results yet.
func cutAt(talk *record.Talk, most int) int {
	size, cut := 0, len(talk.Turns)
	for i := len(talk.Turns) - 1; i >= talk.Cut; i-- {
		t := talk.Turns[i]
		size += len(t.Said.String()) + len(t.Call.Arguments) + len(t.Reply)
		if latest := i == len(talk.Turns)-1 || t.Batch != 0 && t.Batch == talk.Turns[len(talk.Turns)-1].Batch; size > most && !latest {
			break
		}
		if i == 0 || t.Batch == 0 || talk.Turns[i-1].Batch != t.Batch {
			cut = i
		}
	}
	return cut
}

// openFeature shows CASE the files that the plan names for the feature, as far as they fit;
// of larger ones the outline.
func (r *run) openFeature() error {
	p := r.prompter()
	budget := p.context * bytesPerToken / 4 // most of the window is for the work
	b := record.FilesShown{Opens: true, Text: "The files that the plan names for this feature, as they are now. Read others as you need them.\n"}
	var missing, named []string
	for _, path := range p.state.Feature().Files {
		if slices.Contains(named, path) {
			continue
		}
		named = append(named, path)
		f, why := p.readable(path)
		if why != "" {
			missing = append(missing, path+": "+why)
			continue
		}
		text, shown, err := action.Show(path, f.Text, f.Hash, 0, 0, budget)
		if err != nil || len(text) > budget {
			outline := clip("The outline of "+summary(path, f.Text), max(budget, 0))
			b.Quote += outline + "\n"
			budget -= len(outline)
			continue
		}
		budget -= len(text)
		b.Quote += text + "\n"
		b.Shown = append(b.Shown, shown)
	}
	if len(named) == 0 {
		b.Text = "The plan names no files for this feature: look for what you need.\n"
	}
	if len(missing) > 0 {
		b.More = "\nNot shown:\n" + bullets(missing)
	}
	return r.record(b)
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
	// maxChanged bounds what is told of one file that changed, in bytes, and maxTold what is
	// told at once: of more, the model reads what it needs.
	maxChanged, maxTold = 6 << 10, 16 << 10
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
	known := r.state.ShownNow()
	var b record.FilesShown
	var names []string
	for _, path := range slices.Sorted(maps.Keys(known)) {
		f, why := p.readable(path)
		if why == "" && f.Hash == known[path].Hash {
			continue
		}
		shown, name := action.Shown{Path: path}, path
		old, have := r.texts.of(known[path].Hash)
		switch diff := workspace.TextDiff(path, old, f.Text); {
		case why != "":
			name += ": " + why
		case !have || len(diff) > maxChanged || len(b.Quote)+len(diff) > maxTold:
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

func (t *texts) of(hash string) (text string, ok bool) {
	text, ok = t.list[hash]
	return text, ok || hash == record.Unshown
}
