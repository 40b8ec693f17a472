package validate

var syntaxRules = []Rule{{
	ID: "syntax", Title: "Syntax error", Severity: Critical, Category: Syntax,
	Doc:  "The language's parser rejects the text, so none of it runs as intended.",
	Bad:  "def total(prices):\n    return sum(prices\n",
	Good: "def total(prices):\n    return sum(prices)\n",
	File: "shop.py", Full: Origins,
	Check: func(p *Pass) {
		for _, e := range p.Tree.Errors() {
			p.Report(e.Start.Offset, e.End.Offset, "%s", e.Message)
		}
	},
}}
