package validate

// Needles returns which needles the automaton finds in a text, and the texts
// that each of them stands for.
func Needles(text string) (Needle, map[Needle][]string) { return needles().in(text), needleTexts }

// Rest drops what was read of every file.
func (p *Project) Rest() {
	for _, m := range p.files {
		if m.file != nil {
			m.file = m.file.rested(p.warm.kept)
		}
	}
}

// Due returns the ids of the rules that are to look at a file again.
func (p *Project) Due(file string) []string {
	var ids []string
	for i, r := range p.suite.rules {
		if p.files[file].stale.has(i) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// Look has one rule look at a file.
func Look(f *File, r *Rule) { r.Check(&Pass{File: f, rule: r}) }
