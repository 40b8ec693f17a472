package validate

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"caselsp/agent/syntax"
)

// Off is the word that switches a rule off in settings.
const Off = "off"

// Suite is a set of rules that run together.
type Suite struct {
	rules  []Rule // those that run
	known  []Rule // those that there are: settings and comments may name them
	strict bool

	origins map[Origin]Severity // as settings have them; Off is a severity here
}

// NewSuite returns the suite of the rules of some families, in their order, with
// the rules that belong to none: the one about syntax before them, the one about
// suppressing comments after them.
func NewSuite(families ...[]Rule) Suite {
	all := slices.Concat(syntaxRules, slices.Concat(families...), suppressionRules)
	return Suite{rules: all, known: all}
}

// Rules returns every rule that the suite was made of, also those that settings
// have switched off, as they are without settings.
func (s Suite) Rules() []Rule { return slices.Clone(s.known) }

// Rule returns the rule with an id, as it is without settings.
func (s Suite) Rule(id string) (Rule, bool) {
	i := slices.IndexFunc(s.known, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return s.known[i], true
}

// Configure returns the suite with the severities of a user's settings: levels
// maps a rule's id or a category to a severity or to "off"; an id goes before
// its category. The name of an origin sets the highest severity of findings in
// such files. The error names entries that are none of these; the others are used anyway.
func (s Suite) Configure(levels map[string]string) (Suite, error) {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		if !s.knows(name) {
			wrong = append(wrong, fmt.Sprintf("%s is neither a rule nor a category", name))
		} else if levels[name] != Off && !slices.Contains(Severities, Severity(levels[name])) {
			wrong = append(wrong, fmt.Sprintf("%s is set to %q: use off, critical, warning or info", name, levels[name]))
		}
	}
	configured := Suite{known: s.known, strict: s.strict, origins: maps.Clone(s.origins)}
	for _, o := range Origins {
		if level := Severity(levels[string(o)]); level == Off || slices.Contains(Severities, level) {
			if configured.origins == nil {
				configured.origins = map[Origin]Severity{}
			}
			configured.origins[o] = level
		}
	}
	for _, r := range s.rules {
		level, ok := levels[r.ID]
		if !ok {
			level = levels[string(r.Category)]
		}
		if level == Off {
			continue
		}
		if slices.Contains(Severities, Severity(level)) {
			r.Severity = Severity(level)
		}
		configured.rules = append(configured.rules, r)
	}
	if wrong != nil {
		return configured, fmt.Errorf("validate.rules: %s", strings.Join(wrong, "; "))
	}
	return configured, nil
}

// knows reports whether settings may set a severity for a name.
func (s Suite) knows(name string) bool {
	return slices.Contains(Origins, Origin(name)) || s.suppresses(name)
}

// harmless are the families of rules that guard no attack. Of a new family nobody
// has said so yet.
var harmless = []Category{Syntax, Markup, Styles, Scripts, Accessibility, Performance, Integrity, Templates}

// Harmless reports whether nothing about security depends on the severity of a rule,
// or of any rule of a category: it belongs to a family that guards no attack, and it
// names no weakness (CWE) itself.
func (s Suite) Harmless(name string) bool {
	known := false
	for _, r := range s.known {
		if r.ID != name && string(r.Category) != name {
			continue
		}
		known = true
		weakness := slices.ContainsFunc(r.Standards, func(s string) bool { return strings.HasPrefix(s, "CWE-") })
		if weakness || !slices.Contains(harmless, r.Category) {
			return false
		}
	}
	return known
}

// suppresses reports whether comments may name it: a rule or a category.
func (s Suite) suppresses(name string) bool {
	return slices.Contains(Categories, Category(name)) || slices.ContainsFunc(s.known, func(r Rule) bool { return r.ID == name })
}

// Only returns the suite's rules of some categories.
func (s Suite) Only(categories ...Category) Suite {
	s.rules = slices.DeleteFunc(slices.Clone(s.rules), func(r Rule) bool { return !slices.Contains(categories, r.Category) })
	return s
}

// Strict returns the suite for the gate: comments switch nothing off in it, for
// a model that writes the code would write the comment, too.
func (s Suite) Strict() Suite {
	s.strict = true
	return s
}

// Check runs the suite's rules over one file that is judged alone: rules about
// several files say nothing. The findings are in the order of the rules, and of
// each rule in the order of the text.
func (s Suite) Check(path, text string) []Finding {
	if !Reads(path) {
		return nil
	}
	f := NewFile(path, text)
	return s.merge(f, s.run(Pass{File: f}, s.all(), runtime.GOMAXPROCS(0)))
}

// alone is the size of a text, in bytes, below which a second processor would
// take longer to begin than the rules to end.
const alone = 8 << 10

// run has the rules of a set look at a pass's file, with some workers, and
// returns what they found, by rule.
func (s Suite) run(pass Pass, set ruleSet, workers int) map[int][]Finding {
	if len(pass.Text) < alone {
		workers = 1
	}
	var mu sync.Mutex
	var next atomic.Int64
	var failed string
	verdicts := map[int][]Finding{}
	work := func() {
		// A panic is the caller's, whose border knows what to do with it: here it would
		// end the process.
		defer func() {
			if r := recover(); r != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}()
		mine := pass
		for i := int(next.Add(1)) - 1; i < len(s.rules); i = int(next.Add(1)) - 1 {
			if !set.has(i) {
				continue
			}
			if found := s.ask(&mine, i); len(found) > 0 {
				mu.Lock()
				verdicts[i] = found
				mu.Unlock()
			}
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if failed != "" {
		panic(failed)
	}
	return verdicts
}

// ask has one rule look at a file.
func (s Suite) ask(p *Pass, rule int) []Finding {
	p.index, p.rule, p.found = rule, &s.rules[rule], nil
	if p.highest = s.highest(p.File, p.rule); p.highest == Off {
		return nil
	}
	if p.rule.Check == nil || p.Lang == syntax.Unknown && p.rule.Category != Secrets {
		return nil // of the suppressions, see suppress; of a text without a grammar
	}
	p.rule.Check(p)
	slices.SortStableFunc(p.found, func(a, b Finding) int { return a.Start.Offset - b.Start.Offset })
	return p.found
}

// merge returns the verdicts of the rules without what comments switch off.
func (s Suite) merge(f *File, verdicts map[int][]Finding) []Finding {
	var found []Finding
	for _, i := range slices.Sorted(maps.Keys(verdicts)) {
		found = append(found, verdicts[i]...)
	}
	if s.strict {
		return found
	}
	return s.suppress(f, found)
}
