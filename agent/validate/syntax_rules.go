package validate

var syntaxRules = []Rule{{
	ID: "syntax", Title: "The file does not parse", Severity: Critical, Category: Syntax,
	Doc:  "The language's own parser refuses the text, so nothing in it runs as it was meant.",
	Bad:  "def total(prices):\n    return sum(prices\n",
	Good: "def total(prices):\n    return sum(prices)\n",
	File: "shop.py",
	Check: func(p *Pass) {
		for _, e := range p.Tree.Errors() {
			p.Report(e.Start.Offset, e.End.Offset, "%s", e.Message)
		}
	},
}}
