package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Basis is what made a kind of command as harmless as it was when the user
// looked at it. What was approved on one basis says nothing about another.
type Basis struct {
	Hosts []string          `json:"hosts,omitempty"` // that commands could reach
	Files map[string]string `json:"files,omitempty"` // content hashes of the files that say what runs, by path
	// Tests says that Files are those alone that define a run of tests: edits of what it tests change nothing.
	Tests bool `json:"tests,omitempty"`
	// Of an approval for a task alone, which runs code that nobody knows:
	Opened []string      `json:"opened,omitempty"` // secret files that the user has opened for the task: the command sees them
	Memory int64         `json:"memory,omitempty"` // the most bytes that it may use
	Time   time.Duration `json:"time,omitempty"`   // the longest that it may run
}

// Changed says how now differs from what b was, "" where it does not. Fewer
// hosts, fewer secrets and smaller limits are no difference.
func (b Basis) Changed(now Basis) string {
	for _, h := range now.Hosts {
		if !slices.Contains(b.Hosts, h) {
			return "commands can reach " + h + " now"
		}
	}
	for _, path := range now.Opened {
		if !slices.Contains(b.Opened, path) {
			return "commands can read " + path + " now"
		}
	}
	if now.Memory > b.Memory || now.Time > b.Time {
		return "commands may use more memory or time now"
	}
	for _, path := range slices.Sorted(maps.Keys(now.Files)) {
		if b.Files[path] != now.Files[path] {
			return path + " has changed"
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.Files)) {
		if _, ok := now.Files[path]; !ok {
			return path + " is no longer there"
		}
	}
	return ""
}

// String names what a rule rests on; "" for the sandbox alone.
func (b Basis) String() string {
	var parts []string
	if len(b.Files) > 0 {
		parts = append(parts, strings.Join(slices.Sorted(maps.Keys(b.Files)), ", ")+" as it was then")
	}
	if len(b.Hosts) > 0 {
		parts = append(parts, "no other hosts than "+strings.Join(b.Hosts, ", "))
	}
	return strings.Join(parts, ", and ")
}

// Key is a basis as a key of a map; encoding/json sorts.
func (b Basis) Key() string {
	text, _ := json.Marshal(b) // strings and maps of them
	return string(text)
}
