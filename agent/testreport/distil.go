package testreport

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strings"
)

// Distil returns of a test run's result files only what [Read] and [ReadCoverage] read, with
// every text in them redacted: names of tests and files, messages, traces. All else that a
// runner or a test wrote there (captured output, environments, values that were compared,
// sources) and every file of another form is left out, so that nothing is kept by accident.
// What is read of the result is what is read of the files, but for what was redacted.
// Distilling twice changes nothing more.
func Distil(files map[string][]byte, redact func(string) string) map[string][]byte {
	kept := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if data := distilled(name, files[name], redact); data != nil {
			kept[redact(name)] = data
		}
	}
	return kept
}

// distilled is one file; nil if its form is not known.
func distilled(name string, data []byte, redact func(string) string) []byte {
	text := string(data)
	switch ext := path.Ext(name); {
	case strings.HasPrefix(text, goMode):
		return distilLines(text, redact, func(line string) bool { return strings.HasPrefix(line, goMode) || goBlock.MatchString(line) })
	case ext == ".xml":
		return distilJUnit(data, redact)
	case ext == ".json":
		var script scriptJSON
		if json.Unmarshal(data, &script) == nil && (script.NumTotalTests != nil || script.Stats != nil) {
			return redactedJSON(script, redact)
		}
		for _, form := range []struct {
			mark string // which a file of this form has
			into any
		}{{`"executed_lines"`, &pyReport{}}, {`"statementMap"`, &istanbulReport{}}, {`"scriptId"`, &v8Report{}}} {
			if strings.Contains(text, form.mark) && json.Unmarshal(data, form.into) == nil {
				return redactedJSON(form.into, redact)
			}
		}
	case strings.Contains(text, "SF:") && strings.Contains(text, "end_of_record"):
		return distilLines(text, redact, func(line string) bool {
			return strings.HasPrefix(line, "SF:") || strings.HasPrefix(line, "DA:") || line == "end_of_record"
		})
	}
	return nil
}

// distilLines keeps some of the lines of a text.
func distilLines(text string, redact func(string) string, keep func(line string) bool) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); keep(line) {
			b.WriteString(redact(line) + "\n")
		}
	}
	return b.Bytes()
}

// redactedJSON writes a value as JSON, with all strings and names in it redacted.
func redactedJSON(v any, redact func(string) string) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return nil
	}
	data, _ = json.Marshal(redactedTree(tree, redact)) // what was decoded can be encoded
	return data
}

func redactedTree(node any, redact func(string) string) any {
	switch node := node.(type) {
	case map[string]any:
		clean := make(map[string]any, len(node))
		for name, child := range node {
			clean[redact(name)] = redactedTree(child, redact)
		}
		return clean
	case []any:
		for i := range node {
			node[i] = redactedTree(node[i], redact)
		}
	case string:
		return redact(node)
	}
	return node
}

// distilJUnit keeps the suites' names and the cases, as [readJUnit] reads them.
func distilJUnit(data []byte, redact func(string) string) []byte {
	var b bytes.Buffer
	d, e := junitDecoder(data), xml.NewEncoder(&b)
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.EndElement:
			if isSuite(t.Name.Local) {
				err = e.EncodeToken(xml.EndElement{Name: xml.Name{Local: t.Name.Local}})
			}
		case xml.StartElement:
			if isSuite(t.Name.Local) {
				name := xml.Attr{Name: xml.Name{Local: "name"}, Value: redact(attribute(t, "name"))}
				err = e.EncodeToken(xml.StartElement{Name: xml.Name{Local: t.Name.Local}, Attr: []xml.Attr{name}})
			} else if t.Name.Local == "testcase" {
				var c junitCase
				if d.DecodeElement(&c, &t) == nil {
					err = e.EncodeElement(c.redacted(redact), xml.StartElement{Name: xml.Name{Local: "testcase"}})
				}
			}
		}
		if err != nil {
			break
		}
	}
	_ = e.Flush() // to memory
	return b.Bytes()
}

func isSuite(element string) bool { return element == "testsuites" || element == "testsuite" }

func (c junitCase) redacted(redact func(string) string) junitCase {
	for _, s := range []*string{&c.Name, &c.Class, &c.File, &c.Line, &c.Time} {
		*s = redact(*s)
	}
	for _, list := range [][]junitSaid{c.Failures, c.Errors, c.Skipped} {
		for i, s := range list {
			list[i] = junitSaid{Type: redact(s.Type), Message: redact(s.Message), Text: redact(s.Text)}
		}
	}
	return c
}
