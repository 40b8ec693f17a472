package main

import (
	"context"
	"log/slog"
	"net/url"
	"strconv"

	"caselsp/agent"
	"caselsp/agent/llm/openai"
	"caselsp/agent/settings"
	"caselsp/agent/telemetry"
)

// watch is told everything that happens to tasks: it exports that, where telemetry.endpoint is set, and tells the face.
func (e *engine) watch(face func(agent.Event)) func(agent.Event) {
	if e.settings.Telemetry.Endpoint == "" {
		return face
	}
	x, err := telemetry.New(context.Background(), telemetry.Options{
		Endpoint: e.settings.Telemetry.Endpoint, Version: versionText(), Log: slog.New(e.log),
		Server: func(role string) telemetry.Server { return serverOf(e.settings.Model.For(role)) },
	})
	if err != nil {
		e.problems = append(e.problems, settings.Problem{Setting: "telemetry.endpoint", Layer: "the settings", Text: err.Error(), Ignored: true})
		return face
	}
	e.closers = append(e.closers, x)
	return func(event agent.Event) {
		if event.Body != nil {
			x.Observe(event.Time, event.Body, event.Status)
		}
		if face != nil {
			face(event)
		}
	}
}

// serverOf is the server that a model's settings mean.
func serverOf(m settings.Model) telemetry.Server {
	s := telemetry.Server{Provider: m.Provider, Model: m.Name}
	address := m.BaseURL
	if p, err := openai.PresetOf(openai.Config{Provider: m.Provider, BaseURL: m.BaseURL}); err == nil {
		s.Provider = p.Name
		if address == "" {
			address = p.BaseURL
		}
	}
	if u, err := url.Parse(address); err == nil {
		s.Host = u.Hostname()
		s.Port, _ = strconv.Atoi(u.Port()) // none: that of the scheme
	}
	return s
}
