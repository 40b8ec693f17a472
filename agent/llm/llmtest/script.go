package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Script is what the server knows: its models and its rules, in order.
type Script struct {
	Models []string // that it lists; none: "scripted"
	Window int      // that it says its models have, in tokens; 0: it does not say
	Count  Count    // how it counts tokens where a rule claims no usage
	Rules  []Rule
	// Alike are words that mean the same to the model of embeddings.
	Alike [][]string
}

// Always is the Times of a rule that is never used up.
const Always = -1

// Rule is one expected request and its answer. The first rule that is not used
// up, whose Role and Model are the request's and whose When all match answers,
// and it insists on its Want and Not. A pattern is text that the request must
// contain, or a regular expression between slashes.
type Rule struct {
	Name  string   // for failures; ParseScript names rules by their line
	Role  string   // tars, case, tester, reflector, embeddings; "": any of these
	Model string   // the name that is asked for; "": any
	When  []string // chooses among the rules of one role
	Last  []string // so does this, and looks at the last message alone
	After int      // and this: 1 more than the replies of the model that the request holds; 0: any number
	Want  []string // a request without one of these fails the test
	Not   []string // and so does one with one of these
	Times int      // how often it answers; 0: once; Always
	Reply Reply
}

// Reply is an answer: text, tool calls or both; or what goes wrong.
type Reply struct {
	Text   string
	Calls  []Call // sent as text (JSON actions) to a request that offers no tools
	Finish string // "": as the protocol has it
	Usage  *Usage // nil: 100 tokens in, 10 out; given only to those who ask

	Status int         // 0: 200
	Header http.Header // additions
	Body   string      // the whole body as it is, instead of Text and Calls
	Cut    int         // break the connection after so many bytes of the body; 0: do not
	Hold   bool        // answer only after Server.Release
}

// Call is one tool call.
type Call struct {
	Name string
	Args string // JSON; "": {}
}

// Usage is the count that a reply claims.
type Usage struct{ Prompt, Completion, Cached int }

// ParseScript reads a script from its text form, which the package comment
// describes. Errors name the line.
func ParseScript(text string) (Script, error) {
	p := parser{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for p.next < len(p.lines) {
		line := p.lines[p.next]
		p.next++
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		p.at = p.next
		if strings.HasPrefix(line, "\t") {
			return Script{}, p.wrong("indented text belongs under text, body, call or arg")
		}
		if err := p.directive(word, strings.TrimSpace(rest)); err != nil {
			return Script{}, err
		}
	}
	for _, r := range p.script.Rules {
		for _, patterns := range [][]string{r.When, r.Last, r.Want, r.Not} {
			for _, w := range patterns {
				if _, err := compile(w); err != nil {
					return Script{}, fmt.Errorf("script %s: %w", r.Name, err)
				}
			}
		}
	}
	return p.script, nil
}

type parser struct {
	lines  []string
	next   int
	at     int // the directive's line, from 1
	script Script
}

func (p *parser) wrong(format string, args ...any) error {
	return fmt.Errorf("script line %d: %s", p.at, fmt.Sprintf(format, args...))
}

// block returns the lines indented by a tab that follow, without the tab; an
// empty line belongs to the block when an indented one follows it.
func (p *parser) block() (string, bool) {
	var b strings.Builder
	empty := ""
	found := false
	for ; p.next < len(p.lines); p.next++ {
		line := p.lines[p.next]
		if line == "" {
			empty += "\n"
			continue
		}
		body, ok := strings.CutPrefix(line, "\t")
		if !ok {
			break
		}
		found = true
		b.WriteString(empty + body + "\n")
		empty = ""
	}
	return b.String(), found
}

// text returns the rest of a directive's line, or the block below it.
func (p *parser) text(rest string) string {
	if rest != "" {
		return rest
	}
	b, _ := p.block()
	return b
}

func (p *parser) directive(word, rest string) error {
	switch word {
	case "models":
		p.script.Models = strings.Fields(rest)
		return nil
	case "window":
		var err error
		if p.script.Window, err = strconv.Atoi(rest); err != nil {
			return p.wrong("window is followed by a number of tokens")
		}
		return nil
	case "count":
		if rest != "" && rest != "only" {
			return p.wrong("count is followed by nothing or by only")
		}
		p.script.Count = map[string]Count{"": CountAndCut, "only": CountOnly}[rest]
		return nil
	case "alike":
		p.script.Alike = append(p.script.Alike, strings.Fields(rest))
		return nil
	case "on":
		if rest == "" {
			return p.wrong("on needs a role: tars, case, tester, reflector, embeddings or any")
		}
		if rest == "any" {
			rest = ""
		}
		p.script.Rules = append(p.script.Rules, Rule{Name: fmt.Sprintf("line %d", p.at), Role: rest})
		return nil
	}
	if len(p.script.Rules) == 0 {
		return p.wrong("%q stands before the first on", word)
	}
	return p.in(&p.script.Rules[len(p.script.Rules)-1], word, rest)
}

// in reads a directive of a rule.
func (p *parser) in(r *Rule, word, rest string) (err error) {
	switch word {
	case "model":
		r.Model = rest
	case "when":
		r.When = append(r.When, rest)
	case "last":
		r.Last = append(r.Last, rest)
	case "after":
		if r.After, err = strconv.Atoi(rest); err != nil || r.After < 0 {
			return p.wrong("%q is not a number of replies", rest)
		}
		r.After++
	case "want":
		r.Want = append(r.Want, rest)
	case "not":
		r.Not = append(r.Not, rest)
	case "times":
		if r.Times = Always; rest != "always" {
			r.Times, err = p.number(rest)
		}
	case "text":
		r.Reply.Text = p.text(rest)
	case "body":
		r.Reply.Body = p.text(rest)
	case "call":
		return p.call(r, rest)
	case "arg":
		return p.arg(r, rest)
	case "finish":
		r.Reply.Finish = rest
	case "usage":
		return p.usage(r, strings.Fields(rest))
	case "status":
		r.Reply.Status, err = p.number(rest)
	case "header":
		key, value, ok := strings.Cut(rest, ":")
		if !ok {
			return p.wrong("header needs Name: value")
		}
		if r.Reply.Header == nil {
			r.Reply.Header = http.Header{}
		}
		r.Reply.Header.Add(key, strings.TrimSpace(value))
	case "cut":
		r.Reply.Cut, err = p.number(rest)
	case "hold":
		r.Reply.Hold = true
	default:
		return p.wrong("there is no directive %q", word)
	}
	return err
}

func (p *parser) number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, p.wrong("%q is not a number from 1", s)
	}
	return n, nil
}

func (p *parser) usage(r *Rule, fields []string) (err error) {
	if len(fields) < 2 || len(fields) > 3 {
		return p.wrong("usage needs the tokens in and out, and may name those cached")
	}
	n := make([]int, 3)
	for i, f := range fields {
		if n[i], err = strconv.Atoi(f); err != nil {
			return p.wrong("%q is not a number", f)
		}
	}
	r.Reply.Usage = &Usage{n[0], n[1], n[2]}
	return nil
}

func (p *parser) call(r *Rule, rest string) error {
	name, args, _ := strings.Cut(rest, " ")
	if name == "" {
		return p.wrong("call needs the name of a tool")
	}
	args = strings.TrimSpace(p.text(strings.TrimSpace(args)))
	if args == "" {
		args = "{}"
	}
	if !json.Valid([]byte(args)) {
		return p.wrong("the arguments of %s are not JSON; send bad ones with body", name)
	}
	r.Reply.Calls = append(r.Reply.Calls, Call{name, args})
	return nil
}

// arg sets one string argument of the last call, for texts that are hard to
// read with JSON's escapes.
func (p *parser) arg(r *Rule, rest string) error {
	key, value, _ := strings.Cut(rest, " ")
	n := len(r.Reply.Calls)
	if key == "" || n == 0 {
		return p.wrong("arg needs a name, and a call above it")
	}
	args := map[string]any{}
	if err := json.Unmarshal([]byte(r.Reply.Calls[n-1].Args), &args); err != nil {
		return p.wrong("the call's arguments are not an object")
	}
	args[key] = p.text(strings.TrimSpace(value))
	raw, err := json.Marshal(args)
	if err != nil {
		return p.wrong("%v", err)
	}
	r.Reply.Calls[n-1].Args = string(raw)
	return nil
}

// compile turns a pattern into a function that finds it.
func compile(pattern string) (func(string) bool, error) {
	if len(pattern) > 2 && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") {
		re, err := regexp.Compile("(?m)" + pattern[1:len(pattern)-1])
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", pattern, err)
		}
		return re.MatchString, nil
	}
	return func(s string) bool { return strings.Contains(s, pattern) }, nil
}
