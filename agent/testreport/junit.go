package testreport

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"time"
)

// junitCase is a testcase of a JUnit report, as pytest, node and many others write it.
type junitCase struct {
	Name     string      `xml:"name,attr"`
	Class    string      `xml:"classname,attr"`
	File     string      `xml:"file,attr"`
	Line     string      `xml:"line,attr"`
	Time     string      `xml:"time,attr"`
	Failures []junitSaid `xml:"failure"`
	Errors   []junitSaid `xml:"error"`
	Skipped  []junitSaid `xml:"skipped"`
}

type junitSaid struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// readJUnit reads a JUnit report. One that breaks off counts as far as it goes.
func readJUnit(data []byte) (r Report) {
	d := junitDecoder(data)
	var suites []string
	for {
		token, err := d.Token()
		if err != nil {
			return r
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "testsuite" && len(suites) > 0 {
				suites = suites[:len(suites)-1]
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "testsuites":
				r.Runner = "JUnit"
			case "testsuite":
				suites = append(suites, attribute(t, "name"))
				if r.Runner = "JUnit"; attribute(t, "name") == "pytest" {
					r.Runner, suites[len(suites)-1] = "pytest", ""
				}
			case "testcase":
				var c junitCase
				if d.DecodeElement(&c, &t) == nil {
					r.add(c.test(suites))
				}
			}
		}
	}
}

func junitDecoder(data []byte) *xml.Decoder {
	if head, body, found := bytes.Cut(data, []byte("?>")); found && bytes.HasPrefix(head, []byte("<?xml")) {
		data = body // whatever encoding it names: what is read of it is ASCII, or UTF-8
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	return d
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// test is the case as a test. pytest's attribute line counts from 0.
func (c junitCase) test(suites []string) Test {
	t := Test{Name: c.Name, File: c.File, Outcome: Passed}
	if n, err := strconv.Atoi(c.Line); err == nil && n >= 0 {
		t.Line = n + 1
	}
	if s, err := strconv.ParseFloat(c.Time, 64); err == nil && s >= 0 && s < 1e9 {
		t.Took = time.Duration(s * float64(time.Second))
	}
	parts := []string{}
	for _, s := range suites {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if c.File != "" {
		t.Name = pytestName(c)
	} else if len(parts) > 0 {
		t.Name = strings.Join(append(parts, c.Name), " > ")
	}
	said := junitSaid{}
	switch {
	case len(c.Skipped) > 0: // of node, a test to do has a failure, too
		t.Outcome, said = Skipped, c.Skipped[0]
		said.Text = ""
	case len(c.Errors) > 0:
		t.Outcome, said = Errored, c.Errors[0]
	case len(c.Failures) > 0:
		t.Outcome, said = Failed, c.Failures[0]
	}
	t.Message = strings.TrimSpace(said.Text)
	if t.Message == "" || !strings.Contains(t.Message, firstOf(said.Message)) {
		t.Message = strings.TrimSpace(said.Message + "\n" + t.Message)
	}
	if t.Outcome == Failed || t.Outcome == Errored {
		t.place(said.Text)
	}
	return t
}

// pytestName is the name by which pytest calls a test, with its class and without its file:
// Case::test_a for the class name tests.test_x.Case.
func pytestName(c junitCase) string {
	module := strings.ReplaceAll(strings.TrimSuffix(c.File, ".py"), "/", ".")
	class := strings.TrimPrefix(strings.TrimPrefix(c.Class, module), ".")
	if class == "" || class == c.Class && !strings.Contains(module, c.Class) {
		return c.Name
	}
	return strings.ReplaceAll(class, ".", "::") + "::" + c.Name
}

func firstOf(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return first
}

// place finds where in its file a test failed: the last frame of its trace there. Where the
// file is not known, that is the first frame in a file with tests, else the first of all.
func (t *Test) place(trace string) {
	var outer, own *Frame
	for _, one := range Traces(trace) {
		for i := len(one.Frames) - 1; i >= 0; i-- {
			f := one.Frames[i]
			switch {
			case foreign.MatchString(f.File):
				continue
			case t.File == "" && testFile.MatchString(f.File), t.File != "" && sameFile(f.File, t.File):
				if own == nil || len(f.File) > len(own.File) { // the more whole name
					own = &f
				}
			}
			if outer == nil || i == 0 {
				outer = &f
			}
		}
	}
	switch {
	case own != nil && t.File != "":
		t.Line = own.Line
	case own != nil:
		t.File, t.Line = own.File, own.Line
	case t.File == "" && outer != nil:
		t.File, t.Line = outer.File, outer.Line
	}
}

// sameFile reports whether two names can be those of one file, one of them more whole.
func sameFile(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
