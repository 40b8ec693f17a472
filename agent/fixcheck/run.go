package fixcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"caselsp/sandbox"
)

// Limits of a run. A validator parses some files: what needs more is not one.
const (
	// CPUTime is the processor time of each of its processes: the shipped validators need some 2 s of it for files of
	// maxLines. Wall time would be a limit of the machine, too: honest validators fail it on a busy one.
	CPUTime = 5 * time.Second
	// cpuGrace is how much longer one runs that ignores the signal.
	cpuGrace = time.Second
	// wallTime ends one that waits instead of working. CPUTime lasts as long where a process gets a twelfth of a processor.
	wallTime = time.Minute

	memoryLimit = 256 << 20 // bytes; its files and what it writes count too
	processes   = 32
	outputLimit = 64 << 10 // bytes that are kept of what it writes to standard error
	maxClaim    = 8 << 20  // bytes of JSON: a claim about more is a change that no one has looked at
	maxLines    = 20_000   // of a changed file, for shipped validators: they parse it within half of CPUTime, so that slower machines do, too
	parallel    = 2        // runs at once: tests leave this much of a small machine free
)

// Files of a run, beside the validator's own.
const (
	claimFile   = ".caselsp-claim.json"
	verdictFile = ".caselsp-verdict.json"
)

// notFound is the exit code of a shell that does not find a command.
const notFound = 127

// spent is the exit code of a process that has used up its processor time.
const spent = 128 + sigXCPU

// sigXCPU is the number of the signal that Linux sends to a process that has used up its processor time.
const sigXCPU = 24

// absent is what the line of a run says where the command is not in the sandbox.
const absent = "caselsp: the command is not here"

// Command returns the command that judges a claim. It has the validator's files and the claim, and no network.
func (v Validator) Command(claim []byte) sandbox.Command {
	words := append([]string{v.Manifest.Command}, v.Args...)
	line := "command -v" + quoted(words[:1]) + " >/dev/null 2>&1 || { echo '" + absent + "'; exit " + strconv.Itoa(notFound) + "; }\n" +
		// Where a lower limit holds already, these two fail and it stays. Without exec, the shell would report the signal.
		fmt.Sprintf("ulimit -S -t %.0f 2>/dev/null; ulimit -H -t %.0f 2>/dev/null\n", CPUTime.Seconds(), (CPUTime+cpuGrace).Seconds()) +
		"exec" + quoted(words) + " <" + claimFile + " >" + verdictFile
	return sandbox.Command{
		Line: line, Plain: "fixcheck " + v.Name, Profile: v.profile(),
		Tree: append(slices.Clone(v.Files), sandbox.File{Path: claimFile, Mode: 0o644, Data: claim}),
		Env:  []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8"},
		Policy: sandbox.Policy{
			CPUs: 1, Memory: memoryLimit, PIDs: processes, Time: wallTime, Output: outputLimit,
		},
	}
}

// profile is the sandbox in which the command is looked for. All have Python.
func (v Validator) profile() sandbox.Profile {
	switch v.Manifest.Command {
	case "go", "gofmt":
		return sandbox.Go
	case "node", "npm", "npx":
		return sandbox.Node
	}
	return sandbox.Python
}

// quoted joins words for a shell.
func quoted(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" '" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}

// Run has validators judge a claim, and returns their verdicts in the order of the list. A validator that
// cannot judge it is a verdict with Trouble; the error is that of the engine, or of ctx.
func Run(ctx context.Context, engine sandbox.Engine, list []Validator, c Claim) ([]Verdict, error) {
	claim, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("the claim cannot be written as JSON: %w", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	verdicts := make([]Verdict, len(list))
	lines := longest(c)
	for i, v := range list {
		switch {
		case len(claim) > maxClaim:
			verdicts[i] = v.trouble("not judged: too large: the claim has %d bytes, the limit is %d", len(claim), maxClaim)
		case lines > maxLines && v.Origin == Shipped:
			verdicts[i] = v.trouble("not judged: too large: a changed file has %d lines, the limit is %d", lines, maxLines)
		}
	}
	r := &running{engine, c, claim, make(chan struct{}, parallel)}
	var runs sync.WaitGroup
	for _, group := range batches(list) {
		group = slices.DeleteFunc(group, func(i int) bool { return verdicts[i].Trouble != "" })
		runs.Go(func() {
			var mine []Validator
			for _, i := range group {
				mine = append(mine, list[i])
			}
			got, err := r.group(ctx, mine)
			if err != nil {
				stop(err)
				return
			}
			for k, i := range group {
				verdicts[i] = got[k]
			}
		})
	}
	runs.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return verdicts, nil
}

// longest is how many lines the longest text of a claim has.
func longest(c Claim) (lines int) {
	for _, f := range c.Files {
		lines = max(lines, strings.Count(f.before(), "\n"), strings.Count(f.after(), "\n"))
	}
	return max(lines, strings.Count(c.OriginalCode, "\n"), strings.Count(c.FixedCode, "\n"))
}

// running is one call of [Run].
type running struct {
	engine sandbox.Engine
	c      Claim
	claim  []byte
	free   chan struct{} // a place for each sandbox that may run
}

// take waits for the place of a sandbox. give returns it.
func (r *running) take(ctx context.Context) (give func(), err error) {
	select {
	case r.free <- struct{}{}:
		return func() { <-r.free }, ctx.Err()
	case <-ctx.Done():
		return func() {}, context.Cause(ctx)
	}
}

// group runs validators that can share a sandbox.
func (r *running) group(ctx context.Context, list []Validator) ([]Verdict, error) {
	first, err := r.together(ctx, list)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(list))
	errs := make([]error, len(list))
	var runs sync.WaitGroup
	for i, v := range list {
		if first[i] != nil {
			verdicts[i] = *first[i]
			continue
		}
		runs.Go(func() { verdicts[i], errs[i] = r.one(ctx, v) })
	}
	runs.Wait()
	return verdicts, errors.Join(errs...)
}

// one runs a validator in a sandbox of its own.
func (r *running) one(ctx context.Context, v Validator) (Verdict, error) {
	give, err := r.take(ctx)
	defer give()
	if err != nil {
		return Verdict{}, err
	}
	result, err := r.engine.Run(ctx, v.Command(r.claim))
	if err != nil {
		return Verdict{}, err
	}
	return v.Read(r.c, result), nil
}
