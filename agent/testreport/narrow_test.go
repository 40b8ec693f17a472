package testreport

import (
	"testing"
	"time"
)

// TestNarrow narrows lines of all runners that are known, and leaves all others alone.
func TestNarrow(t *testing.T) {
	py := Test{Name: "Case::test_a[x y]", File: "tests/test_shop.py", Outcome: Failed}
	broken := Test{Name: "tests/test_shop.py", File: "tests/test_shop.py", Outcome: Errored}
	unit := Test{Name: "Case.test_a", File: "tests/test_shop.py", Outcome: Failed}
	golang := Test{Name: "TestA/sub_1", File: "pkg/a_test.go", Outcome: Failed}
	root := Test{Name: "TestB", File: "b_test.go", Outcome: Failed}
	build := Test{Name: "example.com/shop/pkg", Outcome: Errored}
	script := Test{Name: "shop > it's (a) total", File: "test/shop.test.js", Outcome: Failed}
	files := map[string]string{"go.mod": "module example.com/shop // ours\n\ngo 1.22\n"}
	for _, c := range []struct {
		line  string
		tests []Test
		npm   string // the test script
		want  string
	}{
		{"pytest", []Test{py}, "", "pytest 'tests/test_shop.py::Case::test_a[x y]'"},
		{"python3 -m pytest -q -m 'not slow' --tb=short tests/ other.py", []Test{py, broken}, "", "python3 -m pytest -q -m 'not slow' --tb=short 'tests/test_shop.py::Case::test_a[x y]' tests/test_shop.py"},
		{"pytest -k total tests", []Test{broken}, "", "pytest -k total tests/test_shop.py"},
		{"pytest --new tests", []Test{py}, "", ""},
		{"pytest | tail", []Test{py}, "", ""},
		{"cd app && pytest", []Test{py}, "", ""},
		{"pytest $ARGS", []Test{py}, "", ""},
		{"pytest", []Test{golang}, "", ""},
		{"python -m unittest -v", []Test{unit}, "", "python -m unittest -v tests.test_shop.Case.test_a"},
		{"python -m unittest discover -s tests", []Test{unit}, "", ""},
		{"python manage.py test --settings=a.b shop", []Test{unit}, "", "python manage.py test --settings=a.b tests.test_shop.Case.test_a"},
		{"go test ./...", []Test{golang, root, root}, "", "go test -run '^(TestA|TestB)$' ./pkg ."},
		{"go test -race -timeout 30s ./pkg", []Test{golang, build}, "", "go test -race -timeout 30s -run '^$' ./pkg"},
		{"go test ./...", []Test{{Name: "example.com/shop", Outcome: Errored}}, "", "go test -run '^$' ."},
		{"go test ./...", []Test{{Name: "TestC/#06", Outcome: Failed}}, "", "go test -run '^(TestC)$' ./..."},
		{"mocha", []Test{{Name: "shop total", File: "lib/shop.js", Outcome: Failed}}, "", "mocha -g '^(shop total)$'"},
		{"go test -run TestB ./...", []Test{golang}, "", ""},
		{"go test -run=TestB ./...", []Test{golang}, "", ""},
		{"go vet ./...", []Test{golang}, "", ""},
		{"node --test", []Test{script}, "", "node --test --test-name-pattern='^(it.s \\(a\\) total)$' test/shop.test.js"},
		{"npm test", []Test{script}, "node --test test/", "node --test --test-name-pattern='^(it.s \\(a\\) total)$' test/shop.test.js"},
		{"npm test", []Test{script}, "jest --ci", "npx jest --ci -t '^ ?(shop it.s \\(a\\) total)$' test/shop.test.js"},
		{"npm run test", []Test{script}, "vitest run", "npx vitest run -t '^ ?(shop it.s \\(a\\) total)$' test/shop.test.js"},
		{"npm run test", []Test{script}, "mocha --exit", "npx mocha --exit -g '^(shop it.s \\(a\\) total)$' test/shop.test.js"},
		{"npm test", []Test{script}, "tape 'test/**/*.js'", "npx tape test/shop.test.js"},
		{"npm run test:unit", []Test{script}, "jest", ""},
		{"npm test -- --ci", []Test{script}, "jest", ""},
		{"npm test", []Test{script}, "tsc && jest", ""},
		{"npx jest", []Test{{Name: "a", File: "/usr/lib/a.test.js", Outcome: Failed}}, "", ""},
		{"make test", []Test{py}, "", ""},
	} {
		got, runs := Narrow(c.line, c.tests, func(name string) string {
			if name == "package.json" {
				return `{"scripts": {"test": "` + c.npm + `"}}`
			}
			return files[name]
		})
		if got != c.want || (got == "") != (len(runs) == 0) {
			t.Errorf("%s %v:\n got %s\nwant %s", c.line, c.tests, got, c.want)
		}
	}
}

// TestAgain compares a test that failed with how it went in a later run.
func TestAgain(t *testing.T) {
	failed := func(message string) Test {
		return Test{Name: "test_a", File: "tests/test_a.py", Outcome: Failed, Message: message, Took: time.Second}
	}
	first := failed("E       AssertionError: assert 3 == 4\n\ntests/test_a.py:3: AssertionError")
	for _, c := range []struct {
		name  string
		later []Test
		want  [2]bool
	}{
		{"other numbers", []Test{failed("E       AssertionError: assert 5 == 4\n\ntests/test_a.py:7: AssertionError")}, [2]bool{true, true}},
		{"another error", []Test{failed("E       KeyError: 'a'\n\ntests/test_a.py:3: KeyError")}, [2]bool{true, false}},
		{"passed", []Test{{Name: "test_a", File: "tests/test_a.py", Outcome: Passed}}, [2]bool{true, false}},
		{"another test", []Test{{Name: "test_b", File: "tests/test_a.py", Outcome: Failed}}, [2]bool{false, false}},
		{"another file", []Test{{Name: "test_a", File: "tests/test_b.py", Outcome: Failed, Message: first.Message}}, [2]bool{false, false}},
	} {
		there, fails, _ := first.Again(Report{Tests: c.later})
		if got := [2]bool{there, fails}; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
