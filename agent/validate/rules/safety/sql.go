package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// SQL in texts. A text counts as SQL by its first words; what is put into it
// counts by where it goes: where a value may stand, a parameter of the driver
// does the same safely; where the name of a table stands, none can.
var sqlRules = validate.Untested([]validate.Rule{{
	ID: "sql-injection", Title: "SQL injection: a value is put into an executed SQL statement", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-89"},
	Aliases: validate.Aliases{validate.Bandit: {"B608"}, validate.Ruff: {"S608"}, validate.Gosec: {"G201", "G202"}, validate.Term: {"SQLi"}},
	Doc: "Anyone who controls the value can write SQL: `' OR 1=1 --`. Write a placeholder (`%s`, `?`, `$1`, depending on the driver) in the statement, without quotes, and " +
		"pass the value as an argument. Follows concatenation, `%`, `format`, f-strings, template literals, `Sprintf` and variables. Numbers, constants, lists of " +
		"placeholders and tagged templates (``sql`…` ``) pass.",
	File: "users.py", Bad: "def find(cursor, name):\n    cursor.execute(f\"SELECT id FROM users WHERE name = '{name}'\")\n", Good: "def find(cursor, name):\n    cursor.execute(\"SELECT id FROM users WHERE name = %s\", [name])\n",
	Check: eachCall(nil, func(p *validate.Pass, c *validate.Code, k ecma.Call) { checkSQL(p, c, k, asValue) }),
}, {
	ID: "sql-identifier", Title: "SQL injection through a table or column name", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-89"},
	Aliases: validate.Aliases{validate.Bandit: {"B608"}, validate.Ruff: {"S608"}, validate.Gosec: {"G201"}, validate.Term: {"SQLi"}},
	Doc: "No placeholder can stand for a table, a column or a sort direction. Look the name up in an allowlist, or let the driver quote it (`psycopg.sql.Identifier`, " +
		"`pgx.Identifier`). Module constants, and choices between constants, pass.",
	File: "sort.js", Bad: "export function list(db, column) {\n  return db.query(\"SELECT * FROM users ORDER BY \" + column);\n}\n",
	Good:  "export function list(db, down) {\n  return db.query(\"SELECT * FROM users ORDER BY name \" + (down ? \"DESC\" : \"ASC\"));\n}\n",
	Check: eachCall(nil, func(p *validate.Pass, c *validate.Code, k ecma.Call) { checkSQL(p, c, k, asName) }),
}, {
	ID: "sql-built", Title: "SQL statement built from values", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-89"},
	Aliases: validate.Aliases{validate.Bandit: {"B608"}, validate.Ruff: {"S608"}, validate.Gosec: {"G202"}, validate.Term: {"SQLi"}},
	Doc:     "It does not appear to be executed here, but a value in it becomes SQL wherever it is. Keep the statement constant and pass the values with it.",
	File:    "users.py", Bad: "def find(name):\n    return \"SELECT id FROM users WHERE name = '%s'\" % name\n", Good: "def find(name):\n    return \"SELECT id FROM users WHERE name = %s\", [name]\n",
	Check: checkBuiltSQL,
}, {
	ID: "sql-raw", Title: "Raw SQL in Django (extra, RawSQL)", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-89"},
	Aliases: validate.Aliases{validate.Bandit: {"B610", "B611"}, validate.Ruff: {"S610", "S611"}},
	Doc:     "`extra()` and `RawSQL` of Django insert parts of their text into the statement unchanged. Annotations, `F`, `Func` and `Subquery` cover nearly all uses.",
	File:    "views.py", Bad: "from django.db.models.expressions import RawSQL\n\nUser.objects.annotate(v=RawSQL(text, []))\n", Good: "User.objects.filter(age__gt=3).annotate(v=F(\"age\") + 1)\n",
	Check: eachCall(onlyPython, checkRawSQL),
}})

// sqlStart is how a statement begins. More than one word of each, as English
// has the verbs, too.
var sqlStart = lazyregexp.New(`(?is)^[\s(]*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*(?:EXPLAIN\s+(?:ANALYZE\s+)?)?(?:SELECT\s.*\bFROM\s*\S|SELECT\s+(?:\*|DISTINCT|COUNT\s*\()|INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO\s|REPLACE\s+INTO\s|MERGE\s+INTO\s|UPDATE\s+\S+\s+(?:AS\s+\w+\s+|\w+\s+)?SET\s|DELETE\s+FROM\s|WITH\s+(?:RECURSIVE\s+)?\S+\s+(?:\([^)]*\)\s+)?AS\s*\(|(?:DROP|TRUNCATE|ALTER|CREATE)\s+(?:OR\s+REPLACE\s+|TEMP(?:ORARY)?\s+|UNIQUE\s+)?(?:TABLE|DATABASE|SCHEMA|INDEX|VIEW|USER|ROLE|FUNCTION|TRIGGER|SEQUENCE)\s|GRANT\s.*\sTO\s|CALL\s+\w+\s*\(|PRAGMA\s+\w|COPY\s+\S+\s+(?:FROM|TO)\s)`)

// spot is where something is put into a statement.
type spot int

const (
	asValue spot = iota
	asName
)

// valueSpot is the text before a place where a value stands: behind a comparison,
// in a list of values.
var valueSpot = lazyregexp.New(`(?is)(?:[=<>]|\b(?:LIKE|ILIKE|REGEXP|LIMIT|OFFSET|BETWEEN|MATCH|CALL\s+\w+)\b|\bIN\s*\([^()]*|\bVALUES\s*\((?:[^()]|\([^()]*\))*|\bBETWEEN\s+\S+\s+AND)[\s('"%]*$`)

// spots returns where each hole of a statement is.
func spots(v ecma.BuiltText) []spot {
	var list []spot
	parts := strings.Split(v.Text, ecma.Gap)
	before := ""
	for i := range v.Holes {
		before += parts[i]
		s := asName
		if strings.Count(before, "'")%2 == 1 || valueSpot.MatchString(before) {
			s = asValue
		}
		list = append(list, s)
		before += "x"
	}
	return list
}

// statements are the places of the statement among the arguments of functions,
// by the last part of the function's name.
var statements = map[syntax.Language]map[string]int{
	syntax.Python: {"execute": 0, "executemany": 0, "executescript": 0, "raw": 0, "read_sql": 0, "read_sql_query": 0, "text": 0, "fetch": 0, "fetchrow": 0, "fetchval": 0, "mogrify": 0, "execute_sql": 0, "query": 0, "sql": 0, "run_query": 0, "exec_driver_sql": 0, "RawSQL": 0, "execute_query": 0, "RunSQL": 0, "prepare": 0, "executeQuery": 0},
	syntax.JavaScript: {"query": 0, "execute": 0, "exec": 0, "raw": 0, "all": 0, "get": 0, "run": 0, "prepare": 0, "each": 0, "$queryRawUnsafe": 0, "$executeRawUnsafe": 0, "literal": 0, "whereRaw": 0, "orderByRaw": 0,
		"selectRaw": 0, "havingRaw": 0, "joinRaw": 0, "batch": 0, "any": 0, "one": 0, "many": 0, "none": 0, "oneOrNone": 0, "manyOrNone": 0, "multi": 0, "queryRaw": 0, "executeSql": 0, "unsafe": 0, "createQuery": 0},
	syntax.Go: {"Query": 0, "QueryRow": 0, "Exec": 0, "Prepare": 0, "Queryx": 0, "QueryRowx": 0, "MustExec": 0, "NamedExec": 0, "NamedQuery": 0, "Preparex": 0, "Raw": 0, "SQL": 0, "NewRawQuery": 0, "NewRaw": 0, "Get": 1, "Select": 1,
		"QueryContext": 1, "QueryRowContext": 1, "ExecContext": 1, "PrepareContext": 1, "QueryxContext": 1, "QueryRowxContext": 1, "NamedExecContext": 1, "MustExecContext": 1, "GetContext": 2, "SelectContext": 2},
}

// statement returns the text that a call executes as SQL.
func statement(c *validate.Code, k ecma.Call) syntax.Node {
	lang := c.Lang
	if lang == syntax.TypeScript || lang == syntax.TSX {
		lang = syntax.JavaScript
	}
	i, ok := statements[lang][k.Base]
	if !ok || k.Name == k.Base && k.Base != "text" {
		return syntax.Node{}
	}
	x := k.At(i, "")
	for _, name := range []string{"sql", "query", "statement", "operation", "statements", "raw_query"} {
		if x.IsZero() {
			x = k.Named[name]
		}
	}
	if c.Lang == syntax.Go && i == 0 && len(k.List) > 1 && !c.QualifiedNames().Value(x).Known {
		return k.List[1] // pgx has the context first where database/sql has none
	}
	if !x.IsZero() && x.Kind() == "object" {
		for _, pair := range ecma.NamedChildren(x) { // query({ text: … }), query({ sql: … })
			if l := ecma.NamedChildren(pair); len(l) == 2 && slices.Contains([]string{"text", "sql", "query"}, l[0].Text()) {
				return l[1]
			}
		}
	}
	return x
}

func checkSQL(p *validate.Pass, c *validate.Code, k ecma.Call, wanted spot) {
	text := statement(c, k)
	if text.IsZero() {
		return
	}
	v := c.QualifiedNames().Value(text)
	if !v.Known || !sqlStart.MatchString(strings.ReplaceAll(v.Text, ecma.Gap, "x")) {
		return
	}
	found, hole := worst(c, v)
	if hole.IsZero() || found != wanted {
		return
	}
	if wanted == asValue {
		p.Node(c, text, "SQL injection: %s becomes part of the statement. Write a placeholder and pass the value as an argument.", shown(hole))
		return
	}
	p.Node(c, text, "%s becomes part of the statement: look it up in an allowlist, or let the driver quote it.", shown(hole))
}

// shown is an expression as a message names it.
func shown(x syntax.Node) string {
	const most = 40 // characters, so that a message stays one line
	text := strings.Join(strings.Fields(x.Text()), " ")
	if len(text) > most {
		return "What is put in"
	}
	return text
}

// worst returns the first hole that somebody may have written, those for values
// before those for names.
func worst(c *validate.Code, v ecma.BuiltText) (spot, syntax.Node) {
	var name syntax.Node
	for i, s := range spots(v) {
		hole := v.Holes[i]
		switch {
		case harmlessSQL(c.QualifiedNames(), hole, s):
		case s == asValue:
			return asValue, hole
		case name.IsZero():
			name = hole
		}
	}
	return asName, name
}

// placeholderName is what people call a list of placeholders, and parts of
// statements that they put together themselves.
var placeholderName = lazyregexp.New(`(?i)^(?:.*\.)?_?(?:.*place_?holders?|.*params?_?(?:str|sql|list)|.*(?:where|filter|cond|condition|clause|clauses|sort|order|limit|columns?|cols?|fields?|tables?|joins?|sub_?quer(?:y|ies)|sql|query|stmt|schema|alias|prefix|suffix|direction|quoted\w*)(?:_?(?:name|sql|str|clause|expr|list))?\d?)$`)

// constantName is that of what does not change.
var constantName = lazyregexp.New(`^(?:\w+\.)*[A-Z][A-Z0-9_]+$`)

// harmlessSQL reports whether what is put into a statement comes from the program
// itself: numbers, placeholders, quoted names, other statements; for names also
// what is called a constant.
func harmlessSQL(n *ecma.QualifiedNames, x syntax.Node, s spot) bool {
	if harmless(n, x, "psycopg2.sql.Identifier()", "psycopg.sql.Identifier()", "pq.QuoteIdentifier()", "github.com/lib/pq.QuoteIdentifier()", "strings.Repeat()", "mysql.escape()", "mysql2.escape()", "sqlstring.escape()", "pg-format()") {
		return true
	}
	text := x.Text()
	if constantName.MatchString(text) {
		return true
	}
	name := n.Name(x)
	last := strings.TrimSuffix(lastPart(name), "()")
	switch {
	case slices.Contains([]string{"quote_name", "qn", "quote_identifier", "escape_identifier", "escapeId", "escapeIdentifier", "escapeLiteral", "Sanitize", "as_sql", "placeholder"}, last):
		return true
	case x.Kind() == "identifier" && placeholderName.MatchString(text) && s == asValue && given(n, x):
		return true // joined by the program: its parts are judged where they are made
	}
	return placeholders(n, x, 0)
}

// given reports whether a name is given its value in the file, and is no parameter.
func given(n *ecma.QualifiedNames, x syntax.Node) bool {
	list := n.Find(x, x.Text())
	return len(list) > 0 && !slices.ContainsFunc(list, func(b ecma.Binding) bool { return b.Way == ecma.ByParameter })
}

// placeholders reports whether an expression is a list of placeholders: ",".join("?"
// * n), ids.map(() => "?").join(",").
func placeholders(n *ecma.QualifiedNames, x syntax.Node, depth int) bool {
	if depth > ecma.NameDepth {
		return false
	}
	switch x.Kind() {
	case "parenthesized_expression":
		return placeholders(n, ecma.FirstNamed(x), depth+1)
	case "identifier":
		list := n.Find(x, x.Text())
		return len(list) > 0 && !slices.ContainsFunc(list, func(b ecma.Binding) bool {
			return b.Way != ecma.ByAssignment || b.Path != "" || !placeholders(n, b.Value, depth+1)
		})
	case "list_comprehension", "generator_expression":
		return n.Value(ecma.FirstNamed(x)).Constant()
	case "arrow_function":
		l := ecma.NamedChildren(x)
		return len(l) > 0 && n.Value(l[len(l)-1]).Known && harmlessAll(n, n.Value(l[len(l)-1]), "")
	case "binary_operator":
		l := ecma.NamedChildren(x)
		return len(l) == 2 && !x.Child("*").IsZero() && (n.Plain(l[0]) || n.Plain(l[1]))
	case "call", "call_expression":
		fn, args := n.Call(x)
		l := ecma.NamedChildren(fn)
		if len(l) < 2 || len(args.List) == 0 {
			return false
		}
		switch l[len(l)-1].Text() {
		case "join": // Python has the list as the argument, JavaScript before the dot
			return n.Plain(args.List[0]) && placeholders(n, l[0], depth+1) || n.Plain(l[0]) && placeholders(n, args.List[0], depth+1)
		case "map", "fill":
			return placeholders(n, args.List[0], depth+1) || n.Plain(args.List[0])
		case "repeat":
			return n.Plain(l[0])
		}
	}
	return false
}

// checkBuiltSQL looks at the texts that are made and not executed in the same file.
func checkBuiltSQL(p *validate.Pass) {
	for _, c := range p.Code() {
		n := c.QualifiedNames()
		done := map[syntax.Node]bool{}
		for _, k := range n.Calls {
			if x := statement(c, k); !x.IsZero() {
				done[x] = true
				for _, b := range n.Find(x, x.Text()) {
					if x.Kind() == "identifier" {
						done[b.Value] = true
					}
				}
			}
		}
		for _, x := range c.Nodes("string", "binary_operator", "call", "template_string", "binary_expression", "call_expression") {
			if v := n.Value(x); v.Known && len(v.Holes) > 0 && sqlStart.MatchString(strings.ReplaceAll(v.Text, ecma.Gap, "x")) && !partOfText(n, x, done) {
				if s, hole := worst(c, v); !hole.IsZero() && s == asValue {
					p.Node(c, x, "SQL injection: %s becomes part of this statement. Keep the text constant and pass the value as a parameter.", shown(hole))
				}
			}
		}
	}
}

// partOfText reports whether an expression is a part of a larger one that makes a text,
// or of one that was judged.
func partOfText(n *ecma.QualifiedNames, x syntax.Node, done map[syntax.Node]bool) bool {
	if done[x] {
		return true
	}
	for q := x.Parent(); !q.IsZero(); q = q.Parent() {
		if done[q] {
			return true
		}
		switch q.Kind() {
		case "parenthesized_expression", "binary_operator", "binary_expression", "attribute", "member_expression", "call", "call_expression", "argument_list", "arguments", "interpolation", "template_substitution", "concatenated_string", "string", "template_string", "tuple":
			if n.Value(q).Known {
				return true
			}
		default:
			return false
		}
	}
	return false
}

func checkRawSQL(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Base == "RawSQL" && strings.HasPrefix(k.Name, "django.") {
		if x := k.At(0, "sql"); !x.IsZero() && !c.QualifiedNames().Plain(x) {
			p.Node(c, k.Node, "This text goes into the statement unchanged: keep it constant and pass values as params.")
		}
		return
	}
	if k.Base != "extra" || len(k.List)+len(k.Named) == 0 || !strings.HasPrefix(k.Name, ecma.Unseen) && !strings.Contains(k.Name, "objects") {
		return
	}
	for _, name := range []string{"select", "where", "tables", "order_by"} {
		x := k.Named[name]
		if !x.IsZero() && !c.QualifiedNames().Plain(x) && !plainPairs(c.QualifiedNames(), x) {
			p.Node(c, k.Node, "The argument of %s goes into the statement unchanged: keep it constant and pass values as params.", name)
			return
		}
	}
}

// plainPairs reports whether a dictionary is written out.
func plainPairs(n *ecma.QualifiedNames, x syntax.Node) bool {
	if x.Kind() != "dictionary" {
		return false
	}
	for _, pair := range ecma.NamedChildren(x) {
		for _, y := range ecma.NamedChildren(pair) {
			if !n.Plain(y) {
				return false
			}
		}
	}
	return true
}
