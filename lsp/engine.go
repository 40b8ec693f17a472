package lsp

import (
	"sync"

	"caselsp/agent"
)

// engines hold the agent that works on the client's folders.
type engines struct {
	mu  sync.Mutex
	now *agent.Agent
}

// agent returns the agent, nil where none was needed yet.
func (e *engines) agent() *agent.Agent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now
}
