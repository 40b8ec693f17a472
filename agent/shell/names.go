package shell

import "mvdan.cc/sh/v3/syntax"

// Programs returns the names of the programs that a command line runs, wherever
// they stand in it and through wrappers too, in the line's order. Where a name
// only shows when the line runs, it is missing; a line that cannot be parsed has none.
func Programs(line string) []string {
	file, err := parse(line)
	if err != nil {
		return nil
	}
	var names []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			for _, words := range commandsOf(looseWords(call), 0) {
				if name := programOf(words); name != "" {
					names = append(names, name)
				}
			}
		}
		return true
	})
	return names
}
