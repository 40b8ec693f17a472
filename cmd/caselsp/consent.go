package main

import (
	"cmp"
	"slices"

	"caselsp/agent/llm/openai"
	"caselsp/agent/settings"
	"caselsp/agent/validate/rules"
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

// stale returns what reports whether the user has confirmed or withdrawn editors' settings
// since; nil where no editor has set any.
func (e *engine) stale() func() bool {
	if !e.foreign {
		return nil
	}
	return func() bool {
		list, err := e.trust.Confirmed()
		return err == nil && !slices.Equal(list, e.confirmed)
	}
}

// routeOf says where a model's requests go, and with which key, as [models.config] has
// them sent.
func routeOf(m settings.Model) settings.Route {
	p, err := openai.PresetOf(openai.Config{Provider: m.Provider, BaseURL: m.BaseURL})
	if err != nil { // no request is made
		return settings.Route{Server: m.Provider + " " + m.BaseURL, Keys: []string{m.KeyEnv}}
	}
	return settings.Route{Server: cmp.Or(m.BaseURL, p.BaseURL), Keys: keyNames(m)}
}

// checkFlags reports what is wrong with --set. Who types a setting for one command wants
// it to hold for that command: unlike one of a file or a variable, it is not passed over.
func (w *wiring) checkFlags() error {
	if w.logLevel != "" {
		w.set = append(w.set, "log.level="+w.logLevel)
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
