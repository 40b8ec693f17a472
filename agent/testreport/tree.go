package testreport

import (
	"iter"
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Tests are counted in syntax trees where the language has them: a test that was
// put into a comment or a string, behind a return or into a branch that is never
// taken is none, whatever its text looks like.

// testWords are what the tests of a language look like.
type testWords struct {
	test    *lazyregexp.Regexp // the name of a function that is one, or that is given one
	check   *lazyregexp.Regexp // what is called and can fail
	skipped *lazyregexp.Regexp // what keeps tests from running, wherever it is named
	hooks   *lazyregexp.Regexp // functions by whose names the runner leaves tests out
}

var (
	pythonTests = testWords{
		test:    lazyregexp.New(`^test`),
		check:   lazyregexp.New(`^(self|cls)\.(assert|fail)\w*$|^(assert|expect|check)\w*$|\.assert_\w+$|^pytest\.(raises|warns|fail|approx)$|^(np|numpy)\.testing\.\w+$`),
		skipped: lazyregexp.New(`^(pytest\.mark|pytest|unittest|mark)\.(skip|xfail|expectedFailure|importorskip)\w*$|^(skip|skipIf|skipUnless|xfail|expectedFailure)$|\.skipTest$|^(unittest\.)?SkipTest$|^os\._exit$|^sys\.exit$`),
		hooks:   lazyregexp.New(`^(pytest_(collection_modifyitems|ignore_collect|runtest_\w+|sessionfinish|pyfunc_call|itemcollected)|collect_ignore(_glob)?|load_tests|__test__)$`),
	}
	goTests = testWords{
		test:    lazyregexp.New(`^(Test|Fuzz|Example)`),
		check:   lazyregexp.New(`^\w+\.(Error|Errorf|Fatal|Fatalf|Fail|FailNow)$|^(require|assert|is|qt|c)\.\w+$|^(assert|require|check|expect|must)\w*$`),
		skipped: lazyregexp.New(`^\w+\.(Skip|Skipf|SkipNow)$|^os\.Exit$`),
		hooks:   lazyregexp.New(`^TestMain$`),
	}
	scriptTests = testWords{
		test:    lazyregexp.New(`^(it|test|specify)(\.(each|only|concurrent|serial|failing|skip|todo))*$`),
		check:   lazyregexp.New(`^(expect|assert|should|t)\b|^expect\w*$|\.should\b`),
		skipped: lazyregexp.New(`^(it|test|describe|context|suite|specify)(\.\w+)*\.(skip|todo|only|failing|skipIf|runIf)$|^[xf](it|describe|test|context)$|^(process\.exit|this\.skip)$`),
	}
)

// wordsOf returns the words of a language; nil where tests are not counted by trees.
func wordsOf(lang syntax.Language) *testWords {
	switch lang {
	case syntax.Python:
		return &pythonTests
	case syntax.Go:
		return &goTests
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return &scriptTests
	}
	return nil
}

// treeTally counts a file's tests in its tree; false where it has none, because
// the language has no words or the text does not parse.
func treeTally(name, text string) (tally, bool) {
	lang := syntax.LanguageOf(name)
	words := wordsOf(lang)
	if words == nil {
		return tally{}, false
	}
	tree := syntax.Parse(lang, text)
	if tree.Root().IsZero() || len(tree.Errors()) > 0 {
		return tally{}, false
	}
	var t tally
	for n := range live(tree.Root()) {
		t.count(n, words, testFile.MatchString(name))
	}
	if lang == syntax.Go {
		for _, c := range tree.Comments() {
			if strings.HasPrefix(c.Text, "//go:build") || strings.HasPrefix(c.Text, "go:build") {
				t.left++
			}
		}
	}
	return t, true
}

// count takes one node into account. inTests says that the file is one with tests,
// in which tests and checks count; what leaves tests out counts everywhere.
func (t *tally) count(n syntax.Node, words *testWords, inTests bool) {
	switch n.Kind() {
	case "function_definition", "function_declaration":
		name := n.Child("identifier").Text()
		if inTests && words != &scriptTests && words.test.MatchString(name) && !within(n, "function_definition", "function_declaration") {
			t.add(name, n, n.Child("block").Text(), words)
			t.left += leavesEarly(n)
		}
		if words.hooks != nil && words.hooks.MatchString(name) {
			t.left++
		}
	case "assert_statement":
		if inTests && !alwaysTrue(n) {
			t.checks++
		}
	case "decorator":
		if text := strings.TrimSpace(strings.TrimPrefix(n.Text(), "@")); words.skipped.MatchString(text) { // one with arguments is a call
			t.left++
		}
	case "assignment":
		if words.hooks != nil && words.hooks.MatchString(n.Child("identifier").Text()) || words == &pythonTests && words.skipped.MatchString(lastOf(n).Text()) {
			t.left++
		}
	case "raise_statement":
		if words.skipped.MatchString(n.Child("identifier", "attribute").Text()) {
			t.left++
		}
	case "call", "call_expression":
		t.countCall(n, words, inTests)
	}
}

// add counts a test, with the checks that are in its node.
func (t *tally) add(name string, n syntax.Node, body string, words *testWords) {
	var inside tally
	for part := range live(n) {
		if part != n {
			inside.count(part, &testWords{test: nothing, check: words.check, skipped: nothing}, true)
		}
	}
	t.tests = append(t.tests, oneTestOf{name: name, body: strings.Join(strings.Fields(body), " "), checks: inside.checks})
}

// nothing matches no text.
var nothing = lazyregexp.New(`[^\s\S]`)

// countCall is count for calls.
func (t *tally) countCall(n syntax.Node, words *testWords, inTests bool) {
	callee := n.Child("identifier", "attribute", "selector_expression", "member_expression", "call_expression").Text()
	if i := strings.IndexAny(callee, "(`"); i >= 0 {
		callee = callee[:i] // it.each(table)("name", ...)
	}
	switch {
	case words.skipped.MatchString(callee):
		t.left++
	case !inTests:
		return
	case words.check.MatchString(callee) && !alwaysTrue(n) && !words.check.MatchString(calleeOf(n.Parent())):
		t.checks++
	}
	if words == &scriptTests && words.test.MatchString(callee) {
		if name := n.Child("arguments").Child("string", "template_string"); !name.IsZero() {
			t.add(strings.Trim(name.Text(), "\"'`"), n, strings.TrimPrefix(n.Child("arguments").Text(), "("+name.Text()), words)
		}
	}
}

// calleeOf returns what a call calls, for a chain such as expect(x).toBe(1), of
// which only the inner call is counted.
func calleeOf(n syntax.Node) string {
	if n.Kind() == "call" || n.Kind() == "call_expression" {
		return n.Child("identifier", "attribute", "selector_expression", "member_expression").Text()
	}
	return ""
}

// constants are what a check checks that cannot fail.
var constants = []string{"True", "true", "1", "not False", "!false", "!0"}

// alwaysTrue reports whether a check has nothing to fail by: assert True,
// self.assertTrue(True), expect(true).toBe(true), assert 1 == 1.
func alwaysTrue(n syntax.Node) bool {
	of := n
	if args := n.Child("argument_list", "arguments"); !args.IsZero() {
		of = args
	}
	var parts []string
	for c := range of.Children() {
		if c.Named() {
			parts = append(parts, c.Text())
		}
	}
	if len(parts) == 0 {
		return false
	}
	left, right, equal := strings.Cut(parts[0], "==")
	return slices.Contains(constants, parts[0]) && (len(parts) == 1 || slices.Contains(constants, parts[1]) || strings.HasPrefix(parts[1], "\"") || strings.HasPrefix(parts[1], "'")) ||
		equal && strings.TrimSpace(left) == strings.TrimSpace(right)
}

// live yields the nodes of a tree but for those that no run comes to.
func live(n syntax.Node) iter.Seq[syntax.Node] {
	return func(yield func(syntax.Node) bool) { walkLive(n, yield) }
}

func walkLive(n syntax.Node, yield func(syntax.Node) bool) bool {
	if !yield(n) {
		return false
	}
	dead := false // behind a statement that leaves
	for c := range n.Children() {
		if dead && c.Named() || neverTaken(n, c) {
			continue
		}
		if !walkLive(c, yield) {
			return false
		}
		dead = dead || leaves(c) && isBlock(n)
	}
	return true
}

func isBlock(n syntax.Node) bool {
	return n.Kind() == "block" || n.Kind() == "statement_block" || n.Kind() == "module" || n.Kind() == "statement_list"
}

func leaves(n syntax.Node) bool {
	return slices.Contains([]string{"return_statement", "raise_statement", "throw_statement", "break_statement", "continue_statement"}, n.Kind())
}

// neverTaken reports whether c is the branch of an if whose condition is false.
func neverTaken(n, c syntax.Node) bool {
	if n.Kind() != "if_statement" || !isBlock(c) {
		return false
	}
	for part := range n.Children() {
		if part.Named() {
			return slices.Contains([]string{"False", "false", "0", "None", "(false)", "(0)"}, part.Text())
		}
	}
	return false
}

// leavesEarly counts a test whose body leaves before its end, without a condition.
func leavesEarly(n syntax.Node) int {
	body := n.Child("block")
	if list := body.Child("statement_list"); !list.IsZero() {
		body = list
	}
	last := lastOf(body)
	for c := range body.Children() {
		if leaves(c) && c != last {
			return 1
		}
	}
	return 0
}

// lastOf returns the last named node that n holds.
func lastOf(n syntax.Node) (last syntax.Node) {
	for c := range n.Children() {
		if c.Named() {
			last = c
		}
	}
	return last
}

// within reports whether a node of a kind holds n.
func within(n syntax.Node, kinds ...string) bool {
	for p := n.Parent(); !p.IsZero(); p = p.Parent() {
		if slices.Contains(kinds, p.Kind()) {
			return true
		}
	}
	return false
}
