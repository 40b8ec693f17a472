package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// post asks srv and returns status and body; a broken connection is "broken".
func post(t *testing.T, srv *Server, system, user string, more string) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":%s},{"role":"user","content":%s}]%s}`,
		encode(system), encode(user), more)
	resp, err := http.Post(srv.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, "broken"
	}
	return resp.StatusCode, string(raw)
}

func parse(t *testing.T, text string) Script {
	t.Helper()
	s, err := ParseScript(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const story = `
# a plan, then a step of each of two features
on tars
want add a blog
not /secret-\d+/
text The plan.

on case
when feature 2
call WRITE_FILE {"path": "two.py"}
arg content
	import os

	print(os.name)

on case
when feature 1
times 2
call ABORT
finish stop
usage 7 3 2
`

func TestModelChooses(t *testing.T) {
	srv := Start(t, parse(t, "on any\nmodel large\ntext Large.\non any\nmodel m\ntext Small.\n"))
	_, said := post(t, srv, "You are CASE.", "x", "")
	if left := srv.Unused(); !strings.Contains(said, "Small.") || len(left) != 1 || left[0] != "line 1" {
		t.Errorf("the answer was %s, left are the rules %q", said, left)
	}
}

func TestRules(t *testing.T) {
	srv := New(parse(t, story))
	defer srv.Close()
	const caseSays = "You are CASE, and no other."
	for _, c := range []struct {
		name, system, user string
		status             int
		says               string // in the answer
		failure            string // in the failure that is recorded
	}{
		{"another role does not use up a rule", caseSays, "feature 1", 200, `"ABORT"`, ""},
		{"what is missing is named", "You are TARS.", "hello", 400, "script:", `line 3 (tars): the request lacks "add a blog". The request (number 2) was:`},
		{"what must not be there, too", "You are TARS.", "add a blog; secret-12", 400, "script:", `has "/secret-`},
		{"a failed request leaves its rule", "You are TARS.", "add a blog", 200, "The plan.", ""},
		{"when chooses", caseSays, "feature 2", 200, `import os\\n\\nprint(os.name)\\n`, ""},
		{"times", caseSays, "feature 1", 200, `"prompt_tokens":7`, ""},
		{"a rule is used up", caseSays, "feature 1", 400, "script:", `no rule is left for a request of role "case" (request 7)`},
		{"the first marker counts", "You are the tester. Not: You are TARS", "x", 400, "script:", `role "tester"`},
	} {
		before := len(srv.Failures())
		status, body := post(t, srv, c.system, c.user, `,"tools":[{"type":"function","function":{"name":"ABORT"}}]`)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: got %d %s", c.name, status, body)
		}
		failures := srv.Failures()[before:]
		if (c.failure == "") != (len(failures) == 0) || c.failure != "" && !strings.Contains(failures[0], c.failure) {
			t.Errorf("%s: failures are %q", c.name, failures)
		}
	}
	if left := srv.Unused(); len(left) != 0 {
		t.Errorf("unused: %v", left)
	}
	if r := srv.Requests()[0]; r.Role != "case" || r.Answered != "line 16" || len(r.Tools) != 1 || !strings.Contains(r.Text, "[user]\nfeature 1\n") {
		t.Errorf("the first request was kept as %+v", r)
	}
}

func TestReplies(t *testing.T) {
	for _, c := range []struct{ name, script, more, want string }{
		{"text", "on any\ntext Hi.", "", `"content":"Hi."`},
		{"a call to a model without tools", "on any\ntext So:\ncall ABORT {\"a\": 1}", "", `So:\n{\"action\":\"ABORT\",\"args\":{\"a\":1}}`},
		{"a stream", "on any\ntext Hi.", `,"stream":true`, "data: [DONE]"},
		{"usage only where it is asked for", "on any\ntext Hi.\nusage 5 6", `,"stream":true,"stream_options":{"include_usage":true}`, `"completion_tokens":6`},
		{"a failure", "on any\nstatus 503\nbody busy", "", "busy"},
		{"a break", "on any\ntext Hi.\ncut 5", "", "broken"},
	} {
		srv := Start(t, parse(t, c.script))
		if _, body := post(t, srv, "", "x", c.more); !strings.Contains(body, c.want) {
			t.Errorf("%s: got %s", c.name, body)
		}
	}
}

func TestRelease(t *testing.T) {
	srv := Start(t, parse(t, "on any\nhold\ntext Now."))
	answered := make(chan string)
	go func() {
		_, body := post(t, srv, "", "x", "")
		answered <- body
	}()
	select {
	case body := <-answered:
		t.Fatalf("answered before the release: %s", body)
	case srv.release <- struct{}{}: // what Release does
	}
	if body := <-answered; !strings.Contains(body, "Now.") {
		t.Errorf("got %s", body)
	}
}

func TestScriptErrors(t *testing.T) {
	for text, want := range map[string]string{
		"text Hi.":                        `line 1: "text" stands before the first on`,
		"\n\non":                          "line 3: on needs a role",
		"on case\nwannt x":                `line 2: there is no directive "wannt"`,
		"on case\nwant /(/":               "line 1: pattern /(/",
		"on case\ntimes no":               `line 2: "no" is not a number`,
		"on case\ncall X {oops":           "line 2: the arguments of X are not JSON",
		"on case\narg path a":             "line 2: arg needs a name, and a call above it",
		"on case\nheader Retry-After 2":   "line 2: header needs Name: value",
		"on case\nusage 1":                "line 2: usage needs",
		"on case\nwant a\n\tnot indented": "line 3: indented text belongs",
	} {
		if _, err := ParseScript(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// recorder stands for a failing test.
type recorder struct {
	bytes.Buffer
	clean []func()
}

func (r *recorder) Helper()                        {}
func (r *recorder) Cleanup(f func())               { r.clean = append(r.clean, f) }
func (r *recorder) Errorf(format string, a ...any) { fmt.Fprintf(r, format, a...) }

func TestStartFailsTheTest(t *testing.T) {
	var r recorder
	srv := Start(&r, parse(t, "on case\ntext Hi."))
	post(t, srv, "You are TARS", "x", "")
	for _, f := range r.clean {
		f()
	}
	if !strings.Contains(r.String(), `no rule is left for a request of role "tars"`) {
		t.Errorf("the test was told %q", r.String())
	}
}

// Whatever a script says, parsing it neither fails to end nor panics, and a
// call's arguments are JSON.
func FuzzParseScript(f *testing.F) {
	f.Add(story)
	f.Add("on any\nstatus 429\nheader Retry-After: 2\nbody\n\tx\n\n\ty\ncut 3\nhold")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScript(text)
		for _, r := range s.Rules {
			for _, c := range r.Reply.Calls {
				if err == nil && !json.Valid([]byte(c.Args)) {
					t.Errorf("%s: arguments %q", r.Name, c.Args)
				}
			}
		}
	})
}
