package main

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"caselsp/sandbox"
)

// TestLoops runs the scenarios that hold in either sandbox, each once in Docker and once in the
// native one. A scenario asks for what it needs of the sandbox that it runs in by [sandbox:NAME],
// a tool of the native one and the image that has it of Docker; a line of one alone is marked
// [in:docker] or [in:native].
func TestLoops(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"docker", "native"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := scenarios(t, "testdata/loop")
			setup, condition := p.Setup, p.Condition
			p.Setup = func(env *testscript.Env) error {
				err := setup(env)
				env.Setenv("CASELSP_SANDBOX_ENGINE", engine)
				return err
			}
			p.Condition = func(name string) (bool, error) {
				if where, ok := strings.CutPrefix(name, "in:"); ok {
					return where == engine, nil
				}
				if tool, ok := strings.CutPrefix(name, "sandbox:"); ok {
					return lacking(toolOf(engine, tool)) == nil, nil
				}
				return condition(name)
			}
			testscript.Run(t, p)
		})
	}
}

// toolOf is what a test needs that uses a tool in a sandbox.
func toolOf(engine, tool string) string {
	switch {
	case engine == "native":
		return "native:" + tool
	case tool == "go":
		return "docker:" + string(sandbox.Go)
	case tool == "node":
		return "docker:" + string(sandbox.Node)
	}
	return "docker"
}
