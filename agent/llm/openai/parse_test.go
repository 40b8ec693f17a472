package openai

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"caselsp/agent/llm"
)

const parseFile = "testdata/parse.txtar"

// replies returns the fixtures: name, reply and what is expected of it.
func replies(t testing.TB) (ar *txtar.Archive, reply, want []string) {
	t.Helper()
	ar, err := txtar.ParseFile(parseFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		at := strings.LastIndex(string(f.Data), "\n=>\n")
		if at < 0 {
			t.Fatalf("%s has no =>", f.Name)
		}
		reply = append(reply, string(f.Data[:at]))
		want = append(want, string(f.Data[at+len("\n=>\n"):]))
	}
	return ar, reply, want
}

func TestParse(t *testing.T) {
	ar, reply, want := replies(t)
	for i, f := range ar.Files {
		t.Run(f.Name, func(t *testing.T) {
			got := parsed(reply[i])
			if got != want[i] && !*update {
				t.Errorf("reply:\n%s\ngot:\n%s\nwant:\n%s", reply[i], got, want[i])
			}
			ar.Files[i].Data = []byte(reply[i] + "\n=>\n" + got)
		})
	}
	if *update {
		if err := os.WriteFile(parseFile, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func parsed(reply string) string {
	a, ok, err := find(reply, theTools)
	switch {
	case err != nil:
		return "error: " + err.Error() + "\n"
	case !ok:
		return "no action\n"
	}
	s := a.name + " " + a.args + "\n"
	if a.rest != "" {
		s += fmt.Sprintf("beside: %q\n", a.rest)
	}
	return s
}

// Wherever an answer is cut, no text reaches an action in part.
func TestParseNeverTakesHalfAString(t *testing.T) {
	whole := map[string]string{"path": "dir/a.py", "content": "print(\"hi\")\n# it's {1: [2]}, 'ok'\n\tdone\\"}
	for _, reply := range []string{
		actionText(llm.ToolCall{Name: "WRITE_FILE", Arguments: compact(whole)}),
		`{'action': 'WRITE_FILE', 'args': {'path': 'dir/a.py', 'content': 'print("hi")` + "\n" + `# it\'s {1: [2]}, \'ok\'` + "\n\t" + `done\\'}}`,
	} {
		taken := 0
		for cut := range len(reply) + 1 {
			calls, ok, err := Parse(reply[:cut], theTools)
			if !ok || err != nil {
				continue
			}
			taken++
			var args map[string]string
			if err := json.Unmarshal([]byte(calls[0].Arguments), &args); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			for k, v := range args {
				if whole[k] != v {
					t.Errorf("cut at %d: %s became %q", cut, k, v)
				}
			}
		}
		if taken == 0 {
			t.Errorf("not even the whole reply was taken: %s", reply)
		}
	}
}

// A reply of hostile braces costs no more than it should: the test's own
// time-out is the limit.
func TestParseManyBraces(t *testing.T) {
	for _, unit := range []string{"{", `{"a":`, `{"`, "{a: ", `{"action": "ABORT", `, `{"ABORT": [1,`, "{'"} {
		reply := strings.Repeat(unit, 1<<18/len(unit))
		if _, ok, err := Parse(reply, theTools); ok {
			t.Errorf("%q repeated was taken for an action, %v", unit, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	_, reply, _ := replies(f)
	for _, r := range reply {
		f.Add(r)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		calls, ok, err := Parse(reply, theTools)
		if ok != (len(calls) == 1) || ok && err != nil {
			t.Fatalf("%d calls, %v, %v", len(calls), ok, err)
		}
		if ok {
			var args map[string]json.RawMessage
			if json.Unmarshal([]byte(calls[0].Arguments), &args) != nil || args == nil {
				t.Fatalf("the arguments are no object: %s", calls[0].Arguments)
			}
			if !toolNames(theTools)[calls[0].Name] {
				t.Fatalf("there is no tool %q", calls[0].Name)
			}
		}
		// What is valid comes through as it is, whatever it holds.
		content := strings.ToValidUTF8(reply, "?")
		args := compact(map[string]string{"content": content})
		calls, ok, err = Parse("So:\n```json\n"+actionText(llm.ToolCall{Name: "WRITE_FILE", Arguments: args})+"\n```\n", theTools)
		if !ok || !sameJSON(calls[0].Arguments, args) {
			t.Fatalf("%q came back as %v, %v", content, calls, err)
		}
	})
}

func FuzzMendArguments(f *testing.F) {
	f.Add(`{"a": "x` + "\n" + `y", }`)
	f.Add(`"{\"a\":1}"`)
	f.Add("```json\n{'a': 'b'}\n```")
	f.Fuzz(func(t *testing.T, args string) {
		got := mendArguments(args)
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(got), &o) != nil && got != args {
			t.Fatalf("%q became %q, which is no JSON object", args, got)
		}
		if json.Unmarshal([]byte(args), &o) == nil && o != nil && got != strings.TrimSpace(args) {
			t.Fatalf("the valid %q became %q", args, got)
		}
	})
}
