package record

import "strings"

// began is what the user's files were when the task first staged something of them, by path: what they hold beyond that, the
// user wrote while the task worked. A nil one did not exist.
type began struct {
	firstBase map[string]*FileRef
	accepted  map[string]bool // by path: lines of the task itself became the user's
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

// acceptedSome forgets how files began of which the user has accepted hunks.
func (p *State) acceptedSome() {
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

// ManifestHash returns the beginning of the hash that a file had when the task began, "" where it is not known or where lines
// of the task were accepted since.
func (p *State) ManifestHash(path string) string {
	if _, some := p.Review.Applied[path]; some || p.accepted[path] {
		return ""
	}
	return p.manifest[path]
}

// TheirsTold says in a sentence for people that the result changes or takes out what the user wrote while the task worked; ""
// where it does not.
func (p *State) TheirsTold() string {
	if p.Report == nil || len(p.Report.Theirs) == 0 {
		return ""
	}
	return "It changes or takes out lines that you wrote while it worked: " + strings.Join(p.Report.Theirs, "; ") + "."
}
