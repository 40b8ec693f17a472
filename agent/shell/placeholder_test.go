package shell

import (
	"os/exec"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	for in, want := range map[string]string{
		`curl -H "Authorization: Bearer {{ TOKEN }}" https://x`: `curl -H "Authorization: Bearer ${TOKEN}" https://x`,
		`curl -H 'X-Key: {{TOKEN}}' x`:                          `curl -H 'X-Key: '"${TOKEN}"'' x`,
		`login {{ TOKEN }} --again={{ TOKEN }}`:                 `login "${TOKEN}" --again="${TOKEN}"`,
		`TOKEN={{ TOKEN }} pytest`:                              `TOKEN="${TOKEN}" pytest`,
		`a $'x\t{{ TOKEN }}' b`:                                 `a $'x\t'"${TOKEN}"$'' b`,
		`echo "$(login {{ TOKEN }})"`:                           `echo "$(login "${TOKEN}")"`,
		"cat <<E\nkey: {{ TOKEN }}\nE\n":                        "cat <<E\nkey: ${TOKEN}\nE\n",
		`docker ps --format '{{ NAMES }} {{.ID}}'`:              `docker ps --format '{{ NAMES }} {{.ID}}'`,
		`pytest -q`:                        `pytest -q`,
		"cat <<'E'\nkey: {{ TOKEN }}\nE\n": "",
		`echo a # {{ TOKEN }}`:             "",
		`echo $(( {{ TOKEN }} + 1 ))`:      "",
		`echo "{{ TOKEN }}`:                "",
	} {
		got, err := Fill(in, []string{"TOKEN"})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q became %q, not %q (%v)", in, got, want, err)
		}
	}
}

// TestFillIsText runs filled lines with values that a shell would obey: each
// comes out as it is.
func TestFillIsText(t *testing.T) {
	bash := need(t, "bash")
	const value = "a b'c\"d$(touch x)`id`;*\\ e"
	for _, line := range []string{`printf %s {{ TOKEN }}`, `printf %s "{{ TOKEN }}"`, `printf %s '{{ TOKEN }}'`, `printf %s $'{{ TOKEN }}'`, `printf %s "$(printf %s {{ TOKEN }})"`, `X={{ TOKEN }}; printf %s "$X"`} {
		filled, err := Fill(line, []string{"TOKEN"})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bash, "-c", filled)
		cmd.Env = []string{"TOKEN=" + value}
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != value {
			t.Errorf("%s gave %q (%v)", filled, out, err)
		}
		if strings.Contains(filled, "a b") {
			t.Errorf("%s holds the value", filled)
		}
	}
}
