package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"caselsp/agent/count"
	"caselsp/agent/llm"
	"caselsp/agent/llm/openai"
	"caselsp/agent/settings"
)

// smallWindow is a window, in tokens, in which a task soon has no room: instructions and tools take about 6,000, and a file of
// 500 lines about as much.
const smallWindow = 16_000

// wideWindow is one in which most tasks have room, for advice.
const wideWindow = 4 * smallWindow

// windowTime bounds how long a task waits for what a server says of its window: one that does not answer so soon is asked for
// the task's work, and says then what is wrong.
const windowTime = 5 * time.Second

// orLarger leads to how a window is made larger, where the setting could be changed, too.
const orLarger = ", or start the server with a larger window"

// askTime bounds the request of `doctor --ask`: a local server may have to load the model first.
const askTime = 5 * time.Minute

// askTokens bounds the answer to it: a model that reasons needs some hundreds.
const askTokens = 2_000

// examineModels writes what each model's server says of it, and reports whether all can be asked.
func (e *engine) examineModels(ctx context.Context, out io.Writer) bool {
	well := true
	for _, a := range e.settings.Model.Asked() {
		checked, cancel := context.WithTimeout(ctx, checkTime)
		facts, err := openai.Check(checked, e.models().config(a.Model))
		cancel()
		name := a.Name + usedFor(a)
		counted := cmp.Or(a.ContextTokens, settings.CountedOn)
		if err == nil && facts.Window > 0 && facts.Window < a.ContextTokens {
			err = fmt.Errorf("%s: the server gives it a window of %s, and model.context_tokens is %d: what is longer is refused, or cut without a word. Leave the setting out: what the server says counts then%s",
				name, tokens(facts.Window), a.ContextTokens, larger(orLarger, facts.Widen(a.ContextTokens)))
		}
		if err != nil {
			well = false
			fmt.Fprintf(out, "WRONG %-10s %s\n", "model", clean(e.awaited(err).Error()))
			continue
		}
		if a.ContextTokens == 0 && facts.Window > 0 {
			counted = min(counted, facts.Window)
		}
		fmt.Fprintf(out, "ok    %-10s %s\n", "model", clean(name+told(facts, counted)))
		for _, note := range doubts(facts, a.ContextTokens, counted, a.Tools) {
			fmt.Fprintf(out, "note  %-10s %s\n", "model", clean(note))
		}
	}
	return well
}

// askWindows returns how a task asks servers for the windows that the settings leave to them; nil where they leave none.
func (e *engine) askWindows() func(context.Context) (tokens int, enlarge string, sure bool) {
	left := slices.DeleteFunc(e.settings.Model.Asked(), func(a settings.Asked) bool { return a.ContextTokens > 0 })
	if len(left) == 0 {
		return nil
	}
	return func(ctx context.Context) (tokens int, enlarge string, sure bool) {
		sure = true
		ctx, cancel := context.WithTimeout(ctx, windowTime)
		defer cancel()
		for _, a := range left {
			facts, err := openai.Check(ctx, e.models().config(a.Model))
			if err != nil || facts.Unsure != "" {
				sure = false
			}
			if facts.Window > 0 && (tokens == 0 || facts.Window < tokens) {
				tokens, enlarge = facts.Window, facts.Widen(wideWindow)
			}
		}
		return tokens, enlarge, sure
	}
}

// usedFor says what a model is asked for, "" where it is for all.
func usedFor(a settings.Asked) string {
	if roles := slices.DeleteFunc(slices.Clone(a.For), func(what string) bool { return what == "" }); !slices.Contains(a.For, "") {
		return " (" + strings.Join(roles, ", ") + ")"
	}
	return ""
}

// told is what a server says of a model, and how large a window tasks count on.
func told(f openai.Facts, counted int) string {
	var parts []string
	switch {
	case f.Window > 0:
		parts = append(parts, "a window of "+tokens(f.Window))
	case f.Longest > 0:
		parts = append(parts, "a window of at most "+tokens(f.Longest))
	}
	if f.Window != counted {
		parts = append(parts, "a window of "+tokens(counted)+" is counted on")
	}
	switch f.Tools {
	case openai.Yes:
		parts = append(parts, "tool calls")
	case openai.No:
		parts = append(parts, "no tool calls")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// doubts are what may go wrong with a model that can be asked.
func doubts(f openai.Facts, set, counted int, tools string) []string {
	var notes []string
	switch {
	case f.Unsure != "" && set > 0:
		notes = append(notes, fmt.Sprintf("%s. model.context_tokens is %d: make sure that the window is not smaller%s", f.Unsure, set, larger(orLarger, f.Widen(set))))
	case f.Unsure != "":
		notes = append(notes, fmt.Sprintf("%s. A task asks again once the model runs, and its first request may be cut%s", f.Unsure, larger(": make sure of a large window", f.Widen(wideWindow))))
	}
	if f.Tools == openai.No && tools == openai.ToolsNative {
		notes = append(notes, "the server shows the model no tools: set model.tools to json, or to auto, which finds that out")
	}
	if counted < smallWindow {
		notes = append(notes, fmt.Sprintf("a window of %d tokens is small: below %d a task soon has no room. Give the model a larger one%s", counted, smallWindow, larger("", f.Widen(wideWindow))))
	}
	return notes
}

// larger ends a sentence with how the server gives a model a larger window, behind lead; with nothing where that is not known.
func larger(lead, widen string) string {
	if widen == "" {
		return ""
	}
	return lead + ": " + widen
}

func tokens(n int) string { return count.Of(n, "token") }

// askModels asks each model for a tool call, and writes what came. It reports whether all can carry out actions.
func (e *engine) askModels(ctx context.Context, out io.Writer) bool {
	well := true
	for _, a := range e.settings.Model.Asked() {
		said, err := e.askModel(ctx, a.Model)
		if err != nil {
			well = false
			fmt.Fprintf(out, "WRONG %-10s %s\n", "asked", clean(a.Name+usedFor(a)+": "+err.Error()))
			continue
		}
		fmt.Fprintf(out, "ok    %-10s %s\n", "asked", clean(a.Name+usedFor(a)+said))
	}
	return well
}

// misreported says what is wrong with an answer to askModel's request; "" for nothing.
func misreported(call llm.ToolCall) string {
	var args struct {
		Ready *bool `json:"ready"`
	}
	switch err := json.Unmarshal([]byte(call.Arguments), &args); {
	case call.Name != askedTool:
		return fmt.Sprintf("of another tool than the one that there is (%.40q)", call.Name)
	case !json.Valid([]byte(call.Arguments)):
		return "whose arguments are no JSON"
	case err != nil || args.Ready == nil:
		return "without the argument that it needs"
	}
	return ""
}

// askedTool is the tool that askModel offers.
const askedTool = "REPORT"

// askModel asks a model for one tool call, as tasks do.
func (e *engine) askModel(ctx context.Context, s settings.Model) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	m, err := openai.New(e.models().config(s))
	if err != nil {
		return "", err
	}
	begun := time.Now()
	answer, err := m.Complete(ctx, &llm.Request{
		Messages: []llm.Message{{Speaker: llm.User, Content: "Report that you are ready, with the tool."}},
		Tools:    []llm.Tool{{Name: askedTool, Description: "Report whether you are ready.", Schema: json.RawMessage(`{"type":"object","properties":{"ready":{"type":"boolean"}},"required":["ready"]}`)}},
		MustCall: true, MaxTokens: askTokens,
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("no answer within %s", askTime)
	}
	if err != nil {
		return "", err
	}
	took, try := time.Since(begun).Round(100*time.Millisecond), "Try model.tools = \"json\", or another model"
	if s.Tools == openai.ToolsJSON {
		try = "Try another model"
	}
	if len(answer.ToolCalls) == 0 {
		return "", fmt.Errorf("it answered after %s, but made no tool call: tasks cannot use it so. %s", took, try)
	}
	if wrong := misreported(answer.ToolCalls[0]); wrong != "" {
		return "", fmt.Errorf("it answered after %s with a tool call %s: tasks will have trouble with it. %s", took, wrong, try)
	}
	counted := "tokens as the server counts them"
	if answer.Usage.Estimated {
		counted = "tokens by estimate: the server counts none, so that limits of tokens and cost are kept by estimate"
	}
	return fmt.Sprintf(": a tool call after %s; %d and %d %s", took, answer.Usage.Prompt, answer.Usage.Completion, counted), nil
}
