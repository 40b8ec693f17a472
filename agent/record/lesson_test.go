package record

import "testing"

// TestUseOutcome holds what a use counts as: credit needs a reader who named the record or a change that shows it, blame
// only that the work failed once it was told.
func TestUseOutcome(t *testing.T) {
	for _, c := range []struct {
		name                 string
		use                  Use
		accepted, turnedDown Came
	}{
		{"only told", Use{}, Unused, Failing},
		{"shown by the change", Use{Shows: true}, Helped, Failing},
		{"named by its reader", Use{Named: true}, Helped, Failing},
		{"told after a failed run, and no run after it", Use{Tests: true}, PassedOver, PassedOver},
		{"told, and the next run passed without it", Use{Tests: true, Helped: true}, Unused, Failing},
		{"named, and the next run passed", Use{Tests: true, Named: true, Helped: true}, Helped, Failing},
		{"others named, and the next run passed", Use{Tests: true, Passed: true, Helped: true}, PassedOver, Failing},
		{"told, and the next run failed", Use{Tests: true, Failed: true}, Failing, Failing},
		{"shown, and the next run failed", Use{Tests: true, Failed: true, Shows: true}, Failing, Failing},
		{"named, a run failed, a later one passed without it", Use{Tests: true, Named: true, Failed: true, Helped: true}, Failing, Failing},
		{"a run failed, a later one passed with it", Use{Tests: true, Failed: true, Helped: true, Shows: true}, Helped, Failing},
	} {
		if got := c.use.Outcome(true); got != c.accepted {
			t.Errorf("%s: %d when it is accepted, want %d", c.name, got, c.accepted)
		}
		if got := c.use.Outcome(false); got != c.turnedDown {
			t.Errorf("%s: %d when it is not, want %d", c.name, got, c.turnedDown)
		}
	}
}
