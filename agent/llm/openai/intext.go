package openai

import (
	"encoding/json"
	"strings"

	"caselsp/agent/llm"
)

// howTo teaches the JSON actions to models without tool calls.
const howTo = `# Actions

You act by replying with one JSON object and nothing else:

{"action": "NAME", "args": {"argument": "value"}}

Exactly one object a reply. It must be valid JSON: a newline in a string is
written \n, a quote \", a backslash \\; no comments, no trailing commas. What
the action did comes back in the next message.
`

const mayTalk = `
When no action is needed, reply with plain text that holds no JSON object.
`

// inText puts req's tools, calls and replies into plain text. Neighbours of one
// speaker become one message: the templates of many local models insist that
// user and assistant take turns.
func inText(req *llm.Request) []llm.Message {
	var out []llm.Message
	add := func(s llm.Speaker, text string) {
		if n := len(out); n > 0 && out[n-1].Speaker == s {
			out[n-1].Content += "\n\n" + text
			return
		}
		out = append(out, llm.Message{Speaker: s, Content: text})
	}
	names := map[string]string{} // of calls by id
	told := len(req.Tools) == 0
	for i, m := range req.Messages {
		if !told && m.Speaker != llm.System {
			add(llm.System, describe(req))
			told = true
		}
		text := m.Content
		switch m.Speaker {
		case llm.Assistant:
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Name
				text = strings.TrimPrefix(text+"\n", "\n") + actionText(c)
			}
		case llm.ToolReply:
			text = "Result of " + names[m.CallID] + ":\n" + text
			m.Speaker = llm.User
		}
		add(m.Speaker, text)
		if !told && i == len(req.Messages)-1 {
			add(llm.System, describe(req))
		}
	}
	return out
}

func describe(req *llm.Request) string {
	var b strings.Builder
	b.WriteString(howTo)
	if !req.MustCall {
		b.WriteString(mayTalk)
	}
	b.WriteString("\nThe actions, with the JSON Schema of their args:\n")
	for _, t := range req.Tools {
		b.WriteString("\n## " + t.Name + "\n\n" + strings.TrimSpace(t.Description) + "\n\nargs: " + string(schema(t)) + "\n")
	}
	return b.String()
}

func actionText(c llm.ToolCall) string {
	return compact(struct {
		Action string          `json:"action"`
		Args   json.RawMessage `json:"args"`
	}{c.Name, json.RawMessage(object(c.Arguments))})
}
