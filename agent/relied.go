package agent

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// reliedShare is which part of the words that a remembered solution adds a change must add, too: a smaller part is in
// many changes of the language.
const reliedShare = 2

// codeWord is a word of code: also one of two letters says something, such as None or re.
var codeWord = lazyregexp.New(`[\pL_][\pL\d_]+`)

// keyword are words that most changes in their languages add: alone, they show nothing.
var keyword = wordSet(`def return if elif else for while in is not and or import from class self this function const let var func
	package try except catch finally with as pass raise throw new async await type struct interface export default public private static void`)

// wordSet is a set of words.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// relied are the ids of what memory gave and what the staged change shows: it adds what the remembered solution added,
// and neither the task nor the code that was there had it.
func (a *Agent) relied(p *record.State) (ids []string) {
	if len(p.Uses) == 0 || len(p.Staged.Files) == 0 {
		return nil
	}
	state, err := p.Staged.State(a.Store.Blob)
	if err != nil {
		return nil // what cannot be read shows nothing
	}
	var diff strings.Builder
	for _, c := range workspace.Compare(workspace.State{}, state).Files {
		if _, body, ok := strings.Cut(c.Unified(), "\n@@"); ok {
			diff.WriteString("@@" + body)
		}
	}
	added := addedWords(diff.String())
	for _, w := range codeWord.FindAllString(p.Task.Text, -1) {
		delete(added, w)
	}
	for _, u := range p.Uses {
		_, solution, _ := strings.Cut(u.Told, "\nSolved by: ")
		told, shared, shows := 0, 0, false
		for w := range addedWords(solution) {
			if placeholderWord.MatchString(strings.ToLower(w)) {
				continue
			}
			told++
			if added[w] {
				shared++
				shows = shows || !keyword[w]
			}
		}
		if shows && shared*reliedShare >= told && !slices.Contains(ids, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// addedWords are the words that the hunks of a diff add, each without those of the lines that it removes or leaves.
func addedWords(diff string) map[string]bool {
	added, now, there := map[string]bool{}, map[string]bool{}, map[string]bool{}
	end := func() {
		for w := range now {
			added[w] = added[w] || !there[w]
		}
		clear(now)
		clear(there)
	}
	in := false
	for line := range strings.Lines(diff) {
		to := there
		switch {
		case strings.HasPrefix(line, "@@"):
			end()
			in = true
			continue
		case !in || !strings.ContainsRune("+- ", rune(line[0])):
			in = in && line == "\n" // prose, such as what begins the tests of a solution
			continue
		case line[0] == '+':
			to = now
		}
		for _, w := range codeWord.FindAllString(line[1:], -1) {
			to[w] = true
		}
	}
	end()
	maps.DeleteFunc(added, func(_ string, is bool) bool { return !is })
	return added
}
