package safety

import (
	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// eachCall is for rules about the calls of programs whose functions have a name.
func eachCall(langs []syntax.Language, check func(*validate.Pass, *validate.Code, ecma.Call)) func(*validate.Pass) {
	return func(p *validate.Pass) {
		for _, c := range p.Code(langs...) {
			for _, k := range c.QualifiedNames().Calls {
				check(p, c, k)
			}
		}
	}
}

// eachCallOf is eachCall for the functions in a table of what to say of each.
func eachCallOf(langs []syntax.Language, table map[string]string) func(*validate.Pass) {
	return eachCall(langs, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if text := table[k.Name]; text != "" {
			p.Node(c, k.Node, "%s", text)
		}
	})
}

// onlyPython is the language of the rules about Python.
var onlyPython = []syntax.Language{syntax.Python}
