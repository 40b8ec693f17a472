package record

import "testing"

func TestAgrees(t *testing.T) {
	for _, yes := range []string{
		"yes", "Yes, do it.", "yes please", "y", "OK", "okay, go ahead", "Sure!", "do it", "Please do it", "go ahead", "Go for it", "proceed", "let's do it", "Let’s go", "sounds good", "lgtm",
		"yes, do it, and add a test", "Great, implement it like that", "please make it so", "agreed\n", "then do that", "yes, change both files", "add it", "just do it",
		"yes, do it, but put reselect before reswap in the docs", "Yes, do it. Without the second part", "go ahead with the one which is shorter", "do it where it is called", "ok, do that, and name it as the others are",
		"only IntSlice. yes, do it", "The second one. Please do.", "please do", "please", "Both!\nGo ahead", "I prefer the shorter name; do it", "Thanks. Ok.",
	} {
		if !Agrees(yes) {
			t.Errorf("%q does not agree", yes)
		}
	}
	for _, no := range []string{
		"", "no", "no, don't do it", "don't", "dont do it", "please don't", "do not do it", "yes, but not now", "is it ok?", "ok?", "yesterday it worked", "I would not say yes", "what is the weather?",
		"why does it do that", "can you do it", "could you do it?", "wait", "ok, wait", "yes, later", "yes if the tests pass", "not yes", "never do it", "okay but what does it cost", "do you think so", "doing it seems wrong",
		"the answer is yes", "nope", "sure, but cancel the other one", "I said yes to the other one", "go on", "explain it", "yes, without the second part", "how would you do it", "let it be", "stop", "thanks",
		"make the limit larger", "maybe", "y not", "hello", "it says yes, do it", "he said: do it", "yes, isn't it", "sure looks wrong, undo it",
		"yes, do it later", "do it if the tests pass", "go ahead? no", "yes, do it after the release", "do it once I am back", "yes do that instead", "let's do something else, not that", "fix that? never",
		"Tell me more. Please do not do it yet", "Do it. No, wait", "I do not like it. Fine", "The tests fail. Is it ok?", "yes. Why is it so slow?", "It reads: yes.", "please explain it",
	} {
		if Agrees(no) {
			t.Errorf("%q agrees", no)
		}
	}
}
