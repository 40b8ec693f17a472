package main

import (
	"cmp"
	"slices"

	"caselsp/agent/llm/openai"
	"caselsp/agent/settings"
	"caselsp/agent/validate/rules"

	"github.com/spf13/cobra"
)

// judge returns how layers are merged: by what the user has confirmed of what editors
// hand over, which is looked up only where an editor did. Where it cannot be looked up,
// nothing is confirmed.
func (e *engine) judge(layers []settings.Layer) (settings.Judge, error) {
	j := settings.Judge{Route: routeOf, Harmless: rules.Default().Harmless}
	if !slices.ContainsFunc(layers, settings.Layer.Foreign) {
		return j, nil
	}
	var err error
	e.confirmed, err = e.trust.Confirmed()
	confirmed := make(map[settings.Value]bool)
	for _, v := range e.confirmed {
		confirmed[settings.Value{Setting: v.Setting, Text: v.Value}] = true
	}
	j.Confirmed = func(v settings.Value) bool { return confirmed[v] }
	return j, err
}

// stale reports whether the user has written files of settings since, or confirmed or withdrawn editors' settings.
func (e *engine) stale() bool {
	if e.rewritten() {
		return true
	}
	if !e.foreign {
		return false
	}
	list, err := e.trust.Confirmed()
	return err == nil && !slices.Equal(list, e.confirmed)
}

// rewritten reports whether files of settings are others than those that were read.
func (e *engine) rewritten() bool { return settings.Stamp(e.folder, e.dirs()...) != e.stamp }

// routeOf says where a model's requests go, and with which key, as [models.config] has
// them sent.
func routeOf(m settings.Model) settings.Route {
	p, err := openai.PresetOf(openai.Config{Provider: m.Provider, BaseURL: m.BaseURL})
	if err != nil { // no request is made
		return settings.Route{Server: m.Provider + " " + m.BaseURL, Keys: []string{m.KeyEnv}}
	}
	return settings.Route{Server: cmp.Or(m.BaseURL, p.BaseURL), Keys: keyNames(m)}
}

// taskLimits are the limits of a task that have flags of their own, for scripts.
var taskLimits = []struct{ flag, setting, text string }{
	{"max-cost", "limits.cost", "US dollars that the task may cost; then it pauses, exit code 4"},
	{"max-time", "limits.time", "how long the task may work, such as 20m; then it pauses, exit code 4"},
	{"max-tokens", "limits.tokens", "tokens that the task may use; then it pauses, exit code 4"},
}

// addLimits adds the flags of taskLimits to a command.
func (w *wiring) addLimits(cmd *cobra.Command) {
	if w.limits == nil {
		w.limits = map[string]*string{}
	}
	for _, l := range taskLimits {
		if w.limits[l.flag] == nil { // run and resume share them: one command is given
			w.limits[l.flag] = new(string)
		}
		cmd.Flags().StringVar(w.limits[l.flag], l.flag, "", l.text)
	}
}

// checkFlags reports what is wrong with --set. Who types a setting for one command wants
// it to hold for that command: unlike one of a file or a variable, it is not passed over.
func (w *wiring) checkFlags() error {
	if w.logLevel != "" {
		w.set = append(w.set, "log.level="+w.logLevel)
	}
	for _, l := range taskLimits {
		if value := w.limits[l.flag]; value != nil && *value != "" {
			w.set = append(w.set, l.setting+"="+*value)
		}
	}
	if len(w.set) == 0 {
		return nil
	}
	e := &engine{}
	m := settings.Judge{}.Merge(w.flags())
	e.settings, e.problems = m.Settings, m.Problems
	e.commands()
	if _, err := rules.Default().Configure(e.settings.Validate.Rules); err != nil {
		e.problems = append(e.problems, settings.Problem{Layer: "--set", Text: err.Error()})
	}
	for i := range e.problems {
		e.problems[i].Ignored = false // the command does not run
	}
	if err := joined(e.problems); err != nil {
		return usage(err)
	}
	return nil
}
