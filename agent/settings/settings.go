// Package settings is every setting of caselsp once: its name, type, default,
// documentation and environment variable, what it may be, and who may set it.
//
// It hides where a value came from: the layers (the user's file, environment,
// editor, the workspace's own file, flags) are merged into one typed value. A
// wrong setting never stops anything: it is reported, by the name of the setting
// and of its layer, and ignored. A workspace, whose files may come from anybody,
// can only tighten what guards the user, and cannot choose where the code is
// sent to at all. What an editor hands over may be such a file, too: what a
// workspace could not set waits until the user has confirmed the value (consent.go).
//
// It never holds a key: model.key_env names the variable that does, and a value
// that looks like a key is refused without being repeated. It reads files only
// in [Load] and [LoadEnv], and writes none.
package settings

import (
	"maps"
	"slices"
	"time"
)

// Settings is everything that can be set, merged. [Default] returns it without any
// setting made.
type Settings struct {
	Model     Model
	Sandbox   Sandbox
	Limits    Limits
	Review    Review
	Editor    Editors
	Log       Log
	Approvals Approvals
	Commands  Commands
	Files     Files
	Trust     Trust
	Validate  Validate
	Lint      Lint
	Tests     Tests
	Plan      Plan
	Fixcheck  Fixcheck
	Memory    Memory
	History   History
	Telemetry Telemetry
}

// Model says which model answers, where it is asked and how. In Roles, a field
// that is zero means the same field of the model that holds it.
type Model struct {
	Provider      string           // a preset's name; "": found by the address, OpenAI where that is empty too
	BaseURL       string           // "": the preset's
	Name          string           // "": not chosen yet
	KeyEnv        string           // the environment variable that holds the key; "": the preset's
	Tools         string           // "auto", "native" or "json"
	Temperature   *float64         // nil: the server's default
	MaxTokens     int              // of one answer; 0: the server's default
	ContextTokens int              // the model's window; 0: as its server says, see [Model.Window]
	Timeout       time.Duration    // the server's longest silence, before and within an answer
	Fallback      string           // the model that is asked when this one keeps failing; "": none
	Prices        map[string]Price // by the name of the model
	Roles         map[string]Model // by the name of the role; see For
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Prompt     float64
	Cached     float64 // of a prompt token that the provider had cached
	Completion float64
}

// History says which old tasks are pruned when a workspace is opened. By default none is: a report and an undo that are gone must be no surprise,
// and hundreds of tasks take less than what one build leaves behind.
type History struct {
	Days      int // 0: of any age
	Megabytes int // 0: of any size
}

// Telemetry says where figures of the work are exported to. Without an Endpoint they are not.
type Telemetry struct {
	Endpoint string // of a collector that speaks OTLP over HTTP
}

// Memory is the server of embeddings by which past tasks are found. Without a Model there is none.
type Memory struct {
	Provider   string        // a preset's name; "": found by the address, OpenAI where that is empty too
	BaseURL    string        // "": the preset's
	Model      string        // "": only the built-in search
	KeyEnv     string        // the environment variable that holds the key; "": the preset's
	Dimensions int           // of a vector; 0: the model's own
	Timeout    time.Duration // the server's longest silence
}

// Sandbox is where commands and tests run, and what they may use.
type Sandbox struct {
	Engine   string   // "auto", "docker", "native" or "none", which runs nothing
	Folders  []string // with tools, shown read-only by the native engine
	Image    string   // "": the one built from the bundled recipe
	CPUs     float64
	MemoryMB int // MiB
	// RetryMemoryMB is how many MiB a command gets unasked, at most, that ran out
	// of MemoryMB and is run again with twice as much.
	RetryMemoryMB int
	DiskMB        int // MiB, of the work tree beyond what is in it and of /tmp, each
	Processes     int // and threads, at once
	User          int // numeric, and of the group
	Time          time.Duration
	Indexes       Indexes
	Hosts         []string // such as "pkgs.example", "*.example.org:8080"; nil: no network
}

// Indexes say where a project's dependencies come from; what is empty, from
// where the package manager's own environment variable says, else from the public one.
type Indexes struct {
	Python string
	Node   string
	Go     string // as in GOPROXY
}

// Limits end what goes on for too long. Steps count per round, Rounds and
// Rollbacks per feature, Tokens, Cost, Time and Commands per task.
type Limits struct {
	Steps     int
	Rounds    int
	Attempts  int
	Rollbacks int
	Tokens    int           // sent and received; 0: no limit
	Cost      float64       // US dollars; 0: no limit
	Time      time.Duration // that a task works, without waiting for answers; 0: no limit
	Commands  int           // that a task runs before it is asked about; 0: no limit
}

// Review is how a result is brought to the user.
type Review struct {
	Annotations bool // change annotations, where the editor has them
	Open        bool // open the review document when a task ends
	Commit      bool // commit the accepted files when nothing is left to decide
}

// Editors is what editors show of tasks.
type Editors struct {
	Follow bool // each file is shown as it is edited
}

// Validate is what the validators say.
type Validate struct {
	Rules map[string]string // by a rule's or a validator's name: "off", or a severity
}

// Tests is what is done about a feature's tests.
type Tests struct {
	Write string // "off", "missing" or "always"
}

// Plan is how a task is planned.
type Plan struct {
	Review bool // the user is asked about the plan before the work begins
}

// Fixcheck is how claimed fixes are checked.
type Fixcheck struct {
	Enabled      bool          // claims are checked before the tests run
	FailingFirst time.Duration // of the whole suite, from which on the failed tests run first, alone
	Tests        bool          // whether tests run to check a claim
	Write        bool          // a model writes a validator for an error that no validator was of help with
}

// Lint is what other people's linters say.
type Lint struct {
	When     string // "edit", "finish" or "never"
	Critical string // "low", "medium", "high" or "never"
}

// Log is what is logged: "debug", "info", "warning", "error" or "critical" and worse.
type Log struct {
	Level string
}

// Approvals is what is asked before it is done.
type Approvals struct {
	Level            string // one of shell.Levels
	ReadOnlyCommands string // "ask" or "allow"
	Days             int    // that a standing approval lasts
}

// Commands says which commands run, are asked for and never run: patterns that
// agent/shell reads. Packages are the dependencies that may be added unasked.
type Commands struct {
	Allow    []string
	Ask      []string
	Deny     []string
	Packages []string
}

// Files says which files are asked for by name before they are accepted, beside those that
// programs obey: globs as in .gitignore.
type Files struct {
	Ask   []string
	Allow []string
}

// Trust is which folders are trusted without being asked for.
type Trust struct {
	Folders []string // absolute; each with all below it
}

// Default returns the settings of a user who never set any.
func Default() Settings {
	return Settings{
		Model: Model{
			Tools:   "auto",
			Timeout: 5 * time.Minute, // a local model on a laptop reads a long prompt for minutes
		},
		Sandbox: Sandbox{
			Engine:   "auto",
			CPUs:     1,
			MemoryMB: 1024,
			// What a laptop of 8 GiB has to spare beside an editor and a browser.
			RetryMemoryMB: 2048,
			DiskMB:        512,
			Processes:     256,
			User:          1000,
			Time:          5 * time.Minute,
		},
		Limits:    Limits{Steps: 15, Rounds: 15, Attempts: 3, Rollbacks: 3, Commands: 200}, // more commands than a person runs in a day: one that is still at it goes in circles
		Review:    Review{Annotations: true, Open: true},
		Fixcheck:  Fixcheck{Enabled: true, FailingFirst: 5 * time.Second, Tests: true, Write: true},
		Log:       Log{Level: "info"},
		Approvals: Approvals{Level: "default", ReadOnlyCommands: "allow", Days: 30},
		Lint:      Lint{When: "edit", Critical: "high"},
		Tests:     Tests{Write: "missing"},
		Memory:    Memory{Timeout: 30 * time.Second}, // a local server loads a model of embeddings within it
	}
}

// For returns the model of a role: m with what its entry in Roles sets put over
// it, and without Roles. Where the role asks another server, neither provider
// nor address nor key of m are kept: a key never goes where it is not for.
func (m Model) For(role string) Model {
	r := m.Roles[role]
	m.Roles = nil
	if r.Provider != "" && r.Provider != m.Provider || r.BaseURL != "" && r.BaseURL != m.BaseURL {
		m.Provider, m.BaseURL, m.KeyEnv = r.Provider, "", ""
	}
	over(&m.BaseURL, r.BaseURL)
	over(&m.Name, r.Name)
	over(&m.KeyEnv, r.KeyEnv)
	over(&m.Tools, r.Tools)
	over(&m.Temperature, r.Temperature)
	over(&m.MaxTokens, r.MaxTokens)
	over(&m.ContextTokens, r.ContextTokens)
	over(&m.Timeout, r.Timeout)
	over(&m.Fallback, r.Fallback)
	m.Prices = maps.Clone(m.Prices)
	return m
}

// CountedOn is the window, in tokens, that is counted on where neither the settings nor the server name a smaller one: what the
// usual hosted models have. Of a larger one no more is used unless the settings say so: each token is paid for again in every
// request.
const CountedOn = 128_000

// Window is the smallest context window that is set for a role, in tokens: a conversation goes from one role to the next.
// 0: none is set.
func (m Model) Window() int {
	least := m.ContextTokens
	for role := range m.Roles {
		if set := m.For(role).ContextTokens; set > 0 && (least == 0 || set < least) {
			least = set
		}
	}
	return least
}

// Asked is a model that tasks ask, and what for: roles, "fallback", and "" for the roles that have none of their own.
type Asked struct {
	Model
	For []string
}

// Asked returns the models that tasks ask, each once, and those that are asked when one keeps failing.
func (m Model) Asked() []Asked {
	var list []Asked
	add := func(s Model, what string) {
		for i, a := range list {
			if a.Provider == s.Provider && a.BaseURL == s.BaseURL && a.Name == s.Name && a.KeyEnv == s.KeyEnv {
				if !slices.Contains(a.For, what) {
					list[i].For = append(list[i].For, what)
				}
				return
			}
		}
		list = append(list, Asked{s, []string{what}})
	}
	for _, role := range append([]string{""}, slices.Sorted(maps.Keys(m.Roles))...) {
		s := m.For(role)
		add(s, role)
		if s.Fallback != "" {
			s.Name = s.Fallback
			add(s, "fallback")
		}
	}
	return list
}

// over puts value in place unless it is zero.
func over[T comparable](place *T, value T) {
	var zero T
	if value != zero {
		*place = value
	}
}
