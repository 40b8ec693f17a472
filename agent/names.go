package agent

import (
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/review"
)

// The names of package record under which the faces know them.
type (
	// ActionChosen is the name of record.ActionChosen for the faces.
	ActionChosen = record.ActionChosen
	// ActionDone is the name of record.ActionDone for the faces.
	ActionDone = record.ActionDone
	// Answer is the name of record.Answer for the faces.
	Answer = record.Answer
	// Answered is the name of record.Answered for the faces.
	Answered = record.Answered
	// Applied is the name of record.Applied for the faces.
	Applied = record.Applied
	// Asked is the name of record.Asked for the faces.
	Asked = record.Asked
	// Body is the name of record.Body for the faces.
	Body = record.Body
	// CallFailed is the name of record.CallFailed for the faces.
	CallFailed = record.CallFailed
	// CommandEnded is the name of record.CommandEnded for the faces.
	CommandEnded = record.CommandEnded
	// CommandStarted is the name of record.CommandStarted for the faces.
	CommandStarted = record.CommandStarted
	// FeatureEnded is the name of record.FeatureEnded for the faces.
	FeatureEnded = record.FeatureEnded
	// FileRef is the name of record.FileRef for the faces.
	FileRef = record.FileRef
	// Focus is the name of record.Focus for the faces.
	Focus = record.Focus
	// HunkState is the name of record.HunkState for the faces.
	HunkState = record.HunkState
	// Hypothesised is the name of record.Hypothesised for the faces.
	Hypothesised = record.Hypothesised
	// Judged is the name of record.Judged for the faces.
	Judged = record.Judged
	// Limits is the name of record.Limits for the faces.
	Limits = record.Limits
	// Linted is the name of record.Linted for the faces.
	Linted = record.Linted
	// Planned is the name of record.Planned for the faces.
	Planned = record.Planned
	// Question is the name of record.Question for the faces.
	Question = record.Question
	// Rebased is the name of record.Rebased for the faces.
	Rebased = record.Rebased
	// ReplyRefused is the name of record.ReplyRefused for the faces.
	ReplyRefused = record.ReplyRefused
	// Staged is the name of record.Staged for the faces.
	Staged = record.Staged
	// StagedFile is the name of record.StagedFile for the faces.
	StagedFile = record.StagedFile
	// State is the name of record.Phase for the faces.
	State = record.Phase
	// StateChanged is the name of record.StateChanged for the faces.
	StateChanged = record.StateChanged
	// Status is the name of record.Status for the faces.
	Status = record.Status
	// Task is the name of record.Task for the faces.
	Task = record.Task
	// TaskGiven is the name of record.TaskGiven for the faces.
	TaskGiven = record.TaskGiven
	// Verified is the name of record.Verified for the faces.
	Verified = record.Verified
)

const (
	// Accepted is the name of record.HunkAccepted for the faces.
	Accepted = record.HunkAccepted
	// Approve is the name of record.Approve for the faces.
	Approve = record.Approve
	// ApproveAlways is the name of record.ApproveAlways for the faces.
	ApproveAlways = record.ApproveAlways
	// ByPolicy is the name of record.ByPolicy for the faces.
	ByPolicy = record.ByPolicy
	// ByRule is the name of record.ByRule for the faces.
	ByRule = record.ByRule
	// ByUser is the name of record.ByUser for the faces.
	ByUser = record.ByUser
	// Coding is the name of record.Coding for the faces.
	Coding = record.Coding
	// Deny is the name of record.Deny for the faces.
	Deny = record.Deny
	// Failed is the name of record.Failed for the faces.
	Failed = record.Failed
	// Kept is the name of record.Kept for the faces.
	Kept = record.Kept
	// Open is the name of record.HunkOpen for the faces.
	Open = record.HunkOpen
	// Paused is the name of record.Paused for the faces.
	Paused = record.Paused
	// Refused is the name of record.HunkRejected for the faces.
	Refused = record.HunkRejected
	// Rejected is the name of record.Rejected for the faces.
	Rejected = record.Rejected
	// Review is the name of record.Review for the faces.
	Review = record.Review
	// Stopped is the name of record.Stopped for the faces.
	Stopped = record.Stopped
	// Succeeded is the name of record.Succeeded for the faces.
	Succeeded = record.Succeeded
)

var (
	// ErrEmptyTask is the name of record.ErrEmptyTask for the faces.
	ErrEmptyTask = record.ErrEmptyTask
)

type (
	// ReviewOf is the name of review.Review for the faces.
	ReviewOf = review.Review
	// FileReview is the name of review.File for the faces.
	FileReview = review.File
	// Selection is the name of review.Selection for the faces.
	Selection = review.Selection
	// Outcome is the name of review.Outcome for the faces.
	Outcome = review.Outcome
	// Trust is the name of permit.Trust for the faces.
	Trust = permit.Trust
)

// AllHunks is the name of review.AllHunks for the faces.
const AllHunks = review.AllHunks

// Rule is the name of permit.Rule for the faces.
type Rule = permit.Rule
