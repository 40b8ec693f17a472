package record

// Bounds is what the state counts so that nothing repeats without end: the engine
// compares it with its limits. It counts from the last transition on, so that a resumed
// phase has its whole measure again.
type Bounds struct {
	Exchanges int // of the present phase: actions carried out and replies refused
	LostTests int // runs of the tests in this phase whose outcome is not known
}

// count folds a record into the bounds. It is called before the record changes the state.
func (p *State) count(body Body) {
	switch b := body.(type) {
	case StateChanged:
		p.Bounds = Bounds{}
	case ReplyRefused:
		p.Exchanges++
	case ActionDone:
		p.Exchanges++
		if c := p.Pending; c != nil && c.Role == RoleTester && b.Lost {
			p.LostTests++
		}
	}
}
