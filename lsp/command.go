package lsp

// The ids of the commands, which the clients are told.
const (
	cmdRun           = "caselsp.run"
	cmdNew           = "caselsp.new"
	cmdFix           = "caselsp.fix"
	cmdTodo          = "caselsp.todo"
	cmdStop          = "caselsp.stop"
	cmdResume        = "caselsp.resume"
	cmdStatus        = "caselsp.status"
	cmdApprove       = "caselsp.approve"
	cmdApproveAlways = "caselsp.approveAlways"
	cmdDeny          = "caselsp.deny"
	cmdAnswer        = "caselsp.answer"
	cmdReview        = "caselsp.review"
	cmdAccept        = "caselsp.accept"
	cmdReject        = "caselsp.reject"
	cmdUndo          = "caselsp.undo"
	cmdHistory       = "caselsp.history"
	cmdReport        = "caselsp.report"
	cmdApprovals     = "caselsp.approvals"
	cmdDoctor        = "caselsp.doctor"
)

// fixArguments are those of caselsp.fix.
type fixArguments struct {
	URI        string `json:"uri"`
	Diagnostic any    `json:"diagnostic"` // as the client sent it
}

// placeArguments are those of caselsp.todo and, for a selection, caselsp.new.
type placeArguments struct {
	URI   string `json:"uri"`
	Range any    `json:"range"` // a protocol.Range
}
