package fixcheck

import "strings"

// The names of the built-in checks.
const (
	Unchanged      = "unchanged"        // nothing has changed since the failure
	SameProgram    = "same-program"     // what has changed is comments and layout
	ClaimAndChange = "claim-and-change" // what the claim names is not where the change is
	FailingTests   = "failing-tests"    // the tests that failed, run before the whole suite; agent runs them
)

// builtIn are the built-in checks, in the order in which they judge. One that is not about the text of a claim has no judge here.
var builtIn = []struct {
	name, does string
	judge      func(Claim) (reason string, confidence float64)
}{
	{Unchanged, "Refuses a fix after which no file has changed. A change of indentation is a change.", unchanged},
	{SameProgram, "Refuses a fix after which only comments and layout have changed, in Python, Go, JavaScript and TypeScript.", sameProgram},
	{ClaimAndChange, "Refuses a fix that names a place which has nothing to do with what has changed.", claimAndChange},
	{FailingTests, "Refuses a fix after which a test that failed still fails with the same error. It runs these tests alone, or all tests once, where they do not take long (the settings fixcheck.tests and fixcheck.failing_first).", nil},
}

// BuiltIn describes the built-in checks as manifests do validators. They judge fixes of all errors.
func BuiltIn() (list []Manifest) {
	for _, check := range builtIn {
		list = append(list, Manifest{Name: check.name, Description: check.does, ErrorTypes: []string{"all"}, Threshold: DefaultThreshold, AutoApply: true, Priority: maxPriority})
	}
	return list
}

// Universal has the built-in checks judge a claim. It returns the verdict of the first that finds it invalid: that they
// find nothing says little, as they know no error.
func Universal(c Claim) []Verdict {
	for _, check := range builtIn {
		if check.judge == nil {
			continue
		}
		if reason, confidence := check.judge(c); confidence > 0 {
			return []Verdict{{
				Validator: check.name, Origin: Builtin, Threshold: DefaultThreshold,
				Reason: cut(reason, maxReason), Confidence: confidence,
			}}
		}
	}
	return nil
}

// unchanged judges that something has changed. A file without texts has changed, but is not shown.
func unchanged(c Claim) (string, float64) {
	for _, f := range c.Files {
		if f.changed() {
			return "", 0
		}
	}
	return "no file has changed since the failure, so the tests would fail again: make the fix, then claim it", 1
}

// changed reports whether a file differs. One of which neither text is shown, such as a binary file, does.
func (f File) changed() bool {
	if f.Before == nil || f.After == nil {
		return f.Before != nil || f.After != nil || f.Path != ""
	}
	return *f.Before != *f.After
}

// before and after are the texts of a file; "" where it was not there.
func (f File) before() string { return text0(f.Before) }
func (f File) after() string  { return text0(f.After) }

func text0(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// changedPaths are the paths of the files that have changed, for a sentence.
func changedPaths(files []File) string {
	var names []string
	for _, f := range files {
		if f.changed() {
			names = append(names, f.Path)
		}
	}
	const most = 3 // a model knows what it has changed
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
