package fixcheck

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"caselsp/sandbox"
)

// Starting a sandbox takes longer than a validator needs. Those that are of one folder and not a stranger's run together in
// one, each in a process of its own that batch.py starts and stops. Where anything goes wrong with that they run one by
// one, as all others do: how they are run decides how long it takes and nothing else.

//go:embed batch.py
var batchDriver []byte

// Files of a batch, beside the validators' own.
const (
	driverFile = ".caselsp-batch.py"
	jobsFile   = ".caselsp-batch.json"
	endsFile   = ".caselsp-ends.json"
)

// job is one validator's command, as batch.py reads it.
type job struct {
	Words   []string `json:"words"`
	Verdict string   `json:"verdict"` // the file of its standard output
	Copy    string   `json:"copy"`    // the folder that it runs in, which has a copy of the files
}

// end is how a job ended, as batch.py writes it.
type end struct {
	Code   int     `json:"code"` // where a signal ended it, the negative number of that
	Absent bool    `json:"absent"`
	Late   bool    `json:"late"`
	Error  string  `json:"error"` // the end of its standard error
	Took   float64 `json:"took"`  // seconds
}

// batches groups validators by what they can share: the places in the list of each.
func batches(list []Validator) (groups [][]int) {
	at := map[string]int{}
	for i, v := range list {
		key := fmt.Sprint("alone ", i)
		if v.Origin == Shipped || v.Origin == User {
			key = fmt.Sprint(v.Origin, v.profile(), sandbox.Digest(v.Files))
		}
		if _, there := at[key]; !there {
			at[key] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[key]] = append(groups[at[key]], i)
	}
	return groups
}

// batch is the command that runs validators of one folder.
func batch(list []Validator, claim []byte) (sandbox.Command, error) {
	var jobs []job
	for i, v := range list {
		jobs = append(jobs, job{append([]string{v.Manifest.Command}, v.Args...), verdictOf(i), copyOf(i)})
	}
	raw, err := json.Marshal(map[string]any{"jobs": jobs, "claim": claimFile, "ends": endsFile, "seconds": wallTime.Seconds(), "cpu": CPUTime.Seconds(), "grace": cpuGrace.Seconds(), "parallel": parallel, "kept": maxSaid * 4, "longest": maxVerdict})
	if err != nil {
		return sandbox.Command{}, err
	}
	cmd := list[0].Command(claim)
	cmd.Line, cmd.Plain = "python3 -S -E "+driverFile+" "+jobsFile, fmt.Sprintf("fixcheck %s and %d others", list[0].Name, len(list)-1)
	cmd.Tree = append(cmd.Tree, sandbox.File{Path: driverFile, Mode: 0o644, Data: batchDriver}, sandbox.File{Path: jobsFile, Mode: 0o644, Data: raw})
	cmd.Policy.CPUs, cmd.Policy.Memory, cmd.Policy.PIDs = parallel, parallel*memoryLimit, parallel*processes
	// Each has its limit, in turns of so many at once.
	cmd.Policy.Time = wallTime * time.Duration((len(list)+parallel-1)/parallel+1)
	return cmd, nil
}

func copyOf(i int) string { return fmt.Sprintf(".caselsp-copy-%d", i) }

func verdictOf(i int) string { return fmt.Sprintf("%s-%d", verdictFile, i) }

// together runs validators of one folder in one sandbox. Those that must be run alone have no verdict: what one of them
// does to the sandbox, such as needing all of its memory, says nothing of the others.
func (r *running) together(ctx context.Context, list []Validator) ([]*Verdict, error) {
	verdicts := make([]*Verdict, len(list))
	if len(list) < 2 {
		return verdicts, nil
	}
	give, err := r.take(ctx)
	defer give()
	if err != nil {
		return nil, err
	}
	cmd, err := batch(list, r.claim)
	if err != nil {
		return nil, err
	}
	result, err := r.engine.Run(ctx, cmd)
	if err != nil {
		return nil, err
	}
	var ends []end
	raw, _ := written(result, endsFile)
	if result.Status != sandbox.Exited || result.ExitCode != 0 || json.Unmarshal(raw, &ends) != nil || len(ends) != len(list) {
		return verdicts, nil
	}
	for i, v := range list {
		if killed := ends[i].Code < 0 && ends[i].Code != -sigXCPU && !ends[i].Late && !ends[i].Absent; !killed {
			verdict := v.Read(r.c, ends[i].result(result, verdictOf(i)))
			verdicts[i] = &verdict
		}
	}
	return verdicts, nil
}

// result is what the run of a validator alone would have come to.
func (e end) result(all *sandbox.Result, file string) *sandbox.Result {
	r := &sandbox.Result{Status: sandbox.Exited, ExitCode: e.Code, Output: e.Error, Took: time.Duration(e.Took * float64(time.Second))}
	switch {
	case e.Late:
		r.Status = sandbox.TimedOut
	case e.Absent:
		r.ExitCode, r.Output = notFound, absent
	case e.Code == -sigXCPU:
		r.Status, r.ExitCode = sandbox.Killed, spent
	}
	if data, there := written(all, file); there {
		r.Changes = []sandbox.Change{{Path: verdictFile, Data: data}}
	}
	return r
}

// written is what a command wrote to a file.
func written(r *sandbox.Result, file string) ([]byte, bool) {
	i := slices.IndexFunc(r.Changes, func(c sandbox.Change) bool { return c.Path == file && !c.Deleted })
	if i < 0 {
		return nil, false
	}
	return bytes.Clone(r.Changes[i].Data), true
}
