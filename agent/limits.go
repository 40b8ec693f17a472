package agent

const (
	// maxPlanningTurns bounds TARS's looking around before it plans, and the
	// turns of a verification and a reflection: a model that has not decided
	// by then goes in circles.
	maxPlanningTurns = 40
	// maxFreeTurns bounds the calls of one round that only look and cost no step; with more
	// steps than that, a round may have as many.
	maxFreeTurns = 40
	// maxInquiries is how many questions a model may put to the user in planning, and in each
	// feature: one that asks more leaves its work to them. Approvals are not counted:
	// commands have a limit of their own.
	maxInquiries = 10
	// maxInvalid is how many unusable replies in a row end in a pause: the model
	// was told each time what was wrong, so more of the same will not help.
	maxInvalid = 4
)
