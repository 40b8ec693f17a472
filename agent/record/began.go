package record

import (
	"slices"
	"strings"
)

// began is what the task knows of what the user did to their files while it worked.
type began struct {
	firstBase map[string]*FileRef // by path: when something was first staged of them; nil: did not exist
	accepted  map[string]bool     // by path: lines of the task itself became the user's
	rejected  []Rejection
	edits     map[string]string // by path: the hashes of the user's files as they were last recorded
	returns   int               // how often a result went back or was tried again
}

// stage folds what is staged now.
func (p *State) stage(now Staged) {
	p.Staged = now
	for _, f := range now.Files {
		path := f.Path
		if f.From != "" {
			path = f.From
		}
		if _, known := p.firstBase[path]; known {
			continue
		}
		if p.firstBase == nil {
			p.firstBase = map[string]*FileRef{}
		}
		p.firstBase[path] = f.Base
	}
}

// Rejection is what the user has rejected of a result that went back or was tried again: hunks of what was staged then.
type Rejection struct {
	Staged Staged
	Hunks  []HunkID
}

// Rejections are those of the task so far.
func (p *State) Rejections() []Rejection { return p.rejected }

// goesBack forgets how files began of which the user has accepted hunks, and keeps what they rejected.
func (p *State) goesBack() {
	p.returns++
	r := Rejection{Staged: p.Staged}
	for h, decided := range p.Review.Decided {
		if decided == HunkRejected && h.Kept == "" {
			r.Hunks = append(r.Hunks, h)
		}
	}
	if len(r.Hunks) > 0 {
		p.rejected = append(slices.Clip(p.rejected), r)
	}
	for path := range p.Review.Applied {
		delete(p.firstBase, path)
		if p.accepted == nil {
			p.accepted = map[string]bool{}
		}
		p.accepted[path] = true
	}
}

// FirstBase returns the user's file as it was when the task first staged something of it; a nil one did not exist. It is not
// known where nothing was staged, nor where lines of the task were accepted since.
func (p *State) FirstBase(path string) (base *FileRef, known bool) {
	if _, some := p.Review.Applied[path]; some {
		return nil, false
	}
	base, known = p.firstBase[path]
	return base, known
}

// Manifest returns the beginnings of the hashes of the files when the task began, by path; nil where they were too many.
func (p *State) Manifest() map[string]string { return p.manifest }

// ManifestHash returns the beginning of the hash that a file had when the task began, "" where it is not known or where lines
// of the task were accepted since.
func (p *State) ManifestHash(path string) string {
	if _, some := p.Review.Applied[path]; some || p.accepted[path] {
		return ""
	}
	return p.manifest[path]
}

// TheirsTold says for people that the result changes or takes out what the user wrote while the task worked, and brings back
// what they rejected; "" where it does neither.
func (p *State) TheirsTold() string {
	if p.Report == nil {
		return ""
	}
	return p.Report.TheirsTold()
}

// TheirsTold is [State.TheirsTold] of a report.
func (b Reported) TheirsTold() string {
	var said []string
	if len(b.Theirs) > 0 {
		said = append(said, "It changes or takes out lines that you wrote while it worked: "+strings.Join(b.Theirs, "; ")+".")
	}
	if len(b.Back) > 0 {
		said = append(said, "It makes changes again that you have rejected: "+strings.Join(b.Back, "; ")+".")
	}
	return strings.Join(said, " ")
}
