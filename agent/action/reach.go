package action

// Reach is what an action reads, changes and connects to, computed from its
// arguments alone. Every arguments type must have these methods: [register] does
// not compile without them, so a new verb cannot forget to say it.
//
// Package agent asks the user for leave by these declarations and by nothing else,
// and a [Doer] sees of the overlay only what it declared (see [Scope]).
type Reach interface {
	Reads() []Place
	Changes() []Place
	Hosts() []Host
}

// Place is something that an action reads or changes: one of the types below.
// Whoever decides about a place refuses a type that it does not know.
type Place interface{ place() }

type (
	// File is one file, by its path as the model wrote it.
	File string
	// Files are all files that a glob matches; "" is every file. Files that may not
	// be read or changed without leave are left out of what the action does.
	Files string
	// FileNames are the names and sizes of the files that a glob matches, not their content.
	FileNames string
	// Secrets are the values of named secrets, for one command line.
	Secrets struct {
		Names []string
		Line  string
	}
	// Memory is what was remembered of earlier tasks. It holds no secrets.
	Memory struct{}
	// Staged is everything that the task has staged, as a whole: read without the
	// files that may hold secrets, changed back to an earlier state of it.
	Staged struct{}
	// Outcome is the feature as it now stands, handed over as done.
	Outcome struct{}
)

func (File) place()      {}
func (Files) place()     {}
func (FileNames) place() {}
func (Secrets) place()   {}
func (Memory) place()    {}
func (Staged) place()    {}
func (Outcome) place()   {}

// Host is a machine that an action connects to.
type Host string

// SandboxHosts are the hosts that the sandbox lets commands reach. Which these
// are, and whether this command may, is decided by the settings and the user.
const SandboxHosts Host = "the hosts that the sandbox allows"

// words is embedded in the arguments of actions that are only words: they read
// and change nothing and connect to no host.
type words struct{}

// Reads implements Reach.
func (words) Reads() []Place { return nil }

// Changes implements Reach.
func (words) Changes() []Place { return nil }

// Hosts implements Reach.
func (words) Hosts() []Host { return nil }

// local is embedded in the arguments of actions that connect to no host.
type local struct{}

// Hosts implements Reach.
func (local) Hosts() []Host { return nil }

// reading is embedded in the arguments of actions that change nothing and connect
// to no host; what they read they say themselves.
type reading struct{ local }

// Changes implements Reach.
func (reading) Changes() []Place { return nil }
