package fixcheck

import (
	"strings"
	"testing"
)

// TestProgram refuses what a model cannot mean.
func TestProgram(t *testing.T) {
	good := Program{Name: "sum-rounds", Description: "checks sums", ErrorType: "AssertionError", Code: "pass\n"}
	if v, err := good.Validator(); err != nil || v.ID == "" || v.Origin != Generated || len(v.Files) != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	for name, change := range map[string]func(*Program){
		"name":        func(p *Program) { p.Name = "../x" },
		"description": func(p *Program) { p.Description = " " },
		"error_type":  func(p *Program) { p.ErrorType = "" },
		"code":        func(p *Program) { p.Code = strings.Repeat("#", maxProgram+1) },
	} {
		p := good
		change(&p)
		if _, err := p.Validator(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
