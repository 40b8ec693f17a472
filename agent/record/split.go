package record

import (
	"maps"
	"slices"

	"caselsp/agent/action"
)

// Split replaces a feature by smaller ones, after rounds that ended without FINISH_FEATURE.
// The parts depend on what the feature depended on, and what depended on it depends on all
// of them.
type Split struct {
	Feature  int              `json:"feature"`
	Analysis string           `json:"analysis,omitempty"`
	Parts    []action.Feature `json:"parts"`
}

func (Split) kind() string { return "split" }

// applySplit folds a split. The first part takes over what the feature has staged and its
// steps, so that nothing is lost, and what fails with it is taken back whole.
func (p *State) applySplit(b Split) {
	whole := p.Features[b.Feature]
	p.Answer, p.Rest, p.Splitting = nil, nil, false
	var parts []Feature
	var ids []string
	for _, f := range b.Parts {
		f.DependsOn = slices.Concat(whole.DependsOn, f.DependsOn)
		parts = append(parts, Feature{Feature: f, PartOf: whole.ID})
		ids = append(ids, f.ID)
	}
	first := &parts[0]
	first.Start, first.Good, first.goodStep = whole.Start, whole.Good, whole.goodStep
	first.Step, first.Marks, first.Log = whole.Step, maps.Clone(whole.Marks), slices.Clone(whole.Log)
	for i := range first.Log {
		first.Log[i].step = whole.ID + ", " + first.Log[i].step // the rounds of the part count from 1 again
	}
	p.Features = slices.Concat(p.Features[:b.Feature:b.Feature], parts, p.Features[b.Feature+1:])
	for i := range p.Features {
		f := &p.Features[i]
		if at := slices.Index(f.DependsOn, whole.ID); at >= 0 {
			f.DependsOn = slices.Concat(f.DependsOn[:at:at], ids, f.DependsOn[at+1:])
		}
	}
}

// begins sets what a feature begins with, unless it goes on from the one that it is a part of.
func (f *Feature) begins(staged Staged) {
	if f.Marks == nil {
		f.Start, f.Good, f.Marks = staged, staged, map[int]Staged{}
	}
}
