package fixcheck

import "testing"

func TestSum(t *testing.T) {
	valid := Verdict{Validator: "a", ID: "1", Valid: true, Confidence: 1, Threshold: 0.7}
	invalid := Verdict{Validator: "b", ID: "2", Confidence: 0.9, Threshold: 0.7}
	unsure, shown, trouble, builtin := invalid, invalid, invalid, valid
	doubtful := valid
	doubtful.Confidence = 0
	unsure.Confidence, shown.Shown, trouble.Trouble, builtin.ID = 0.6, true, "timed out", ""
	for name, c := range map[string]struct {
		verdicts []Verdict
		want     Status
	}{
		"none":                   {nil, Unverified},
		"valid":                  {[]Verdict{valid}, Valid},
		"invalid beside valid":   {[]Verdict{valid, invalid}, Invalid},
		"invalid below":          {[]Verdict{unsure}, Unverified},
		"invalid below, valid":   {[]Verdict{unsure, valid}, Valid},
		"valid below":            {[]Verdict{doubtful}, Unverified},
		"only shown":             {[]Verdict{shown}, Unverified},
		"no verdict":             {[]Verdict{trouble}, Unverified},
		"what is built in alone": {[]Verdict{builtin}, Unverified},
	} {
		if got := Sum(c.verdicts); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}
