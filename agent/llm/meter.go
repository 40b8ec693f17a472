package llm

import (
	"context"
	"sync"
)

// Meter sums what calls cost that no [Request] stands for, such as embeddings. The zero value is
// ready, and safe for concurrent use.
type Meter struct {
	mu    sync.Mutex
	usage Usage
}

type meterKey struct{}

// Metered returns a context whose calls are booked on m.
func Metered(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// Book adds u to the meter of ctx; without a meter it does nothing.
func Book(ctx context.Context, u Usage) {
	if m, ok := ctx.Value(meterKey{}).(*Meter); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.usage = m.usage.Add(u)
	}
}

// Usage is what was booked so far.
func (m *Meter) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}
