package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/cmd/caselsp/screen"
)

// console asks the agent's questions on a terminal.
type console struct {
	in  *lineReader
	out io.Writer
	yes bool // approve without asking: --yes

	color bool
	last  record.Answer // the one before, which the user may be asked about again
}

// lineReader reads lines in a goroutine of its own, so that a read can be abandoned
// when the context ends; the line then goes to the next caller. What a person types at a
// terminal is read from [lineReader.start] on, so that it is known when it was typed; a file or
// a pipe only as far as lines are asked for.
type lineReader struct {
	keys  keys
	tty   bool // a person types; else the lines come from a file or a pipe
	err   io.Writer
	begun sync.Once

	mu     sync.Mutex
	asking int          // questions that wait for a line
	spare  func(string) // takes what a person types while none does; nil: it is kept

	lines chan typedLine
}

// keys are where lines come from: the standard input of this process, or of one that asks this one.
type keys interface {
	next() (line string, ok bool) // waits for a line; false at the end of input
	flush()                       // forgets what was typed and not read, also the beginning of a line
	hide() (show func())          // what is typed is not shown until show is called
	// ask shows a prompt, behind which the next line is edited, until done is called. asked is false where it cannot be: then the
	// prompt is to be printed.
	ask(p screen.Prompt) (done func(), asked bool)
	recall(texts []string) // gives a person earlier messages, which keys go back to
}

// typedLine is a line and when it was typed.
type typedLine struct {
	text string
	at   time.Time
}

// typedAhead is how many lines are kept that nobody has asked for yet.
const typedAhead = 64

func newLineReader(k keys, tty bool, err io.Writer) *lineReader {
	r := &lineReader{keys: k, tty: tty, err: err, lines: make(chan typedLine)}
	if tty {
		r.lines = make(chan typedLine, typedAhead)
	}
	return r
}

// start begins to read. It is called where a person may type before something is asked; else
// the first question does.
func (r *lineReader) start() {
	r.begun.Do(func() {
		if r.keys != nil {
			go r.pump()
		}
	})
}

// pump reads to the end of input.
func (r *lineReader) pump() {
	defer close(r.lines)
	for {
		text, ok := r.keys.next()
		if !ok {
			return
		}
		line := typedLine{text, time.Now()}
		if !r.tty {
			r.lines <- line
			continue
		}
		if r.told(line.text) {
			continue
		}
		select {
		case r.lines <- line:
		default: // nobody reads what is typed that far ahead
		}
	}
}

// told passes a line on that is no answer; false where a question waits for one.
func (r *lineReader) told(line string) bool {
	r.mu.Lock()
	spare := r.spare
	if r.asking > 0 {
		spare = nil
	}
	r.mu.Unlock()
	if spare != nil && strings.TrimSpace(line) != "" {
		spare(line)
	}
	return spare != nil
}

// tell has what a person types while no question waits passed on, also what was typed before;
// nil ends that.
func (r *lineReader) tell(spare func(string)) {
	r.mu.Lock()
	r.spare = spare
	r.mu.Unlock()
	if spare != nil {
		r.start()
	}
	for spare != nil && r.tty {
		select {
		case line, ok := <-r.lines:
			if !ok {
				return
			}
			r.told(line.text)
		default:
			return
		}
	}
}

// forget forgets what a person has typed and nobody has read.
func (r *lineReader) forget() {
	r.keys.flush()
	for r.tty {
		select {
		case _, ok := <-r.lines:
			if ok {
				continue
			}
		default:
		}
		return
	}
}

// asked counts a question that waits for a line, until the function that it returns is called.
func (r *lineReader) asked() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asking--
	}
}

// read returns the next line; false at the end of input. Who asks for consent uses decision or
// answer: a line that a program wrote is none by itself.
func (r *lineReader) read(ctx context.Context) (string, bool, error) {
	return r.readAfter(ctx, time.Time{}, 0, nil)
}

// readBehind is read behind a prompt.
func (r *lineReader) readBehind(ctx context.Context, p screen.Prompt) (string, bool, error) {
	defer r.prompt(p)()
	return r.read(ctx)
}

// prompt shows a prompt until the function that it returns is called. A person can edit what they type behind it.
func (r *lineReader) prompt(p screen.Prompt) (done func()) {
	r.start()
	if r.tty {
		if done, asked := r.keys.ask(p); asked {
			return done
		}
	}
	fmt.Fprint(r.err, p.Text)
	return func() {}
}

// decision returns the line in answer to a question about what the person looks at, as answer does: the time to read is that of
// the prompt alone. Half a line that was typed before stays: with what follows it, it is none of the choices.
func (r *lineReader) decision(ctx context.Context, name, prompt string) (string, bool, error) {
	if r.tty {
		return r.typed(ctx, prompt, prompt, true)
	}
	line, ok, err := r.readBehind(ctx, screen.Prompt{Text: prompt})
	if ok {
		line = r.answerTo(name, line, false)
	}
	return line, ok, err
}

// answerTo returns the answer in a line of a file or a pipe. A program that writes the same line again
// and again, or lines that were meant for another question, must not consent to anything: so a
// line counts where it begins with the question's name, as in "q1 y". Where no can be said and
// nothing else be meant by it, it needs no name.
func (r *lineReader) answerTo(name, line string, no bool) string {
	if answer, ok := strings.CutPrefix(line, name+" "); ok {
		return strings.TrimSpace(answer)
	}
	if word, _, _ := strings.Cut(strings.ToLower(line), " "); word == "" || no && (word == "n" || word == "no") {
		return line
	}
	fmt.Fprintf(r.err, "\ncaselsp: standard input is no terminal, and the line %s does not name the question, so it is no answer.\ncaselsp: a program begins with the name: \"%s ANSWER\"\n", agent.Quote(line), clean(name))
	return ""
}

// onlyDenies reports whether a line that begins with no denies what q asks for. The answer to a model's own question is
// the model's to read, and a secret is denied by the letter alone: "no" can be its value.
func onlyDenies(q record.Question, line string) bool {
	switch q.Subject.(type) {
	case record.Input:
		return false
	case record.Secret:
		return line == "n"
	}
	return true
}

// restTime is how long nothing must come after a line that was no answer: whoever goes on
// typing has not looked up yet, and the pauses between words and lines are shorter.
const restTime = time.Second

// answer returns the line that is typed in answer to a question that is on the screen now as a
// text, behind the choices. What was typed before it, or so soon that it cannot have been read, is no answer: that
// is said, and it is asked for again. Lines of a file or a pipe name their question, see answerTo: the prompt shows the name.
func (r *lineReader) answer(ctx context.Context, q record.Question, text, choices string) (string, bool, error) {
	if !r.tty {
		line, ok, err := r.readBehind(ctx, screen.Prompt{Text: fmt.Sprintf("question %s: %s", q.ID, choices)})
		if ok {
			line = r.answerTo(q.ID, line, onlyDenies(q, line))
		}
		return line, ok, err
	}
	r.keys.flush() // half a line, too
	return r.typed(ctx, text+choices, choices, q.Kind() != record.KindSecret)
}

// typed returns the line that a person types behind a prompt, once they can have read a text. again says that a line which came
// sooner can be brought back.
func (r *lineReader) typed(ctx context.Context, text, prompt string, again bool) (string, bool, error) {
	defer r.asked()()
	p := screen.Prompt{Text: prompt}
	done := r.prompt(p)
	defer func() { done() }()
	reading := agent.ReadTime(text)
	return r.readAfter(ctx, time.Now().Add(reading), reading, func() {
		done()
		said := "What was typed before you can have read the question is not taken."
		if p.Again = again; p.Again {
			said += " The key Up brings it back."
		}
		fmt.Fprintln(r.err, "\n"+said)
		done = r.prompt(p)
	})
}

// readAfter returns the next line that was typed after a time. One that comes sooner moves
// that time on: an answer needs rest before it, and the time to read what it answers.
func (r *lineReader) readAfter(ctx context.Context, after time.Time, reading time.Duration, ignored func()) (string, bool, error) {
	r.start()
	for {
		select {
		case <-ctx.Done():
			return "", false, ctx.Err()
		case line, ok := <-r.lines:
			if !ok || !line.at.Before(after) {
				return strings.TrimSpace(line.text), ok, nil
			}
			if rested := line.at.Add(max(restTime, reading)); rested.After(after) {
				after = rested
			}
			ignored()
		}
	}
}

// Ask implements agent.User. The end of input and an empty line leave a question undecided.
func (c *console) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	if c.yes && q.Flagged() {
		return q.FlagAnswer(), nil
	}
	if q.Notice != "" {
		fmt.Fprintf(c.out, "%s\n", clean(q.Notice))
	}
	for {
		line, ok, err := c.ask(ctx, q)
		if err != nil {
			return record.Answer{}, err
		}
		if !ok || line == "" {
			return record.Answer{}, agent.ErrUndecided
		}
		a := c.answer(q, line)
		a.By = "terminal"
		a, err = q.Take(a)
		if err == nil {
			c.last = a
			return a, nil
		}
		fmt.Fprintf(c.out, "%s\n", clean(c.wrong(q, a, err)))
	}
}

// ask shows a question and reads a line; a secret is read without showing it.
func (c *console) ask(ctx context.Context, q record.Question) (string, bool, error) {
	text, choices := questionText(q), choicesText(q)
	read := func(ctx context.Context) (string, bool, error) { return c.in.answer(ctx, q, text, choices) }
	fmt.Fprint(c.out, c.paint(text))
	if q.Kind() == record.KindSecret {
		return readMasked(ctx, c.out, c.in, read)
	}
	return read(ctx)
}

// paint shows in colours who speaks in a question: its first line is ours, and what is quoted has a mark of its own.
func (c *console) paint(text string) string {
	if !c.color {
		return text
	}
	p := plain{color: true}
	var b strings.Builder
	titled := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		mark := strings.TrimRight(quoteMark, " ")
		quoted, isQuote := strings.CutPrefix(line, mark)
		switch {
		case isQuote:
			line = p.styled(cyan, mark) + quoted
		case !titled && line != "":
			line, titled = p.styled(bold+yellow, line), true
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// quoteMark stands before each line that is not ours: of a command, or of what a model asks.
const quoteMark = "  | "

// questionText is a question without the choices. What is asked about comes first, and whole.
func questionText(q record.Question) string {
	var b strings.Builder
	switch about := q.Subject.(type) {
	case record.Approvable:
		offer := about.Offer()
		fmt.Fprintf(&b, "\n%s:\n%s", clean(q.Text), agent.QuoteLines(offer.What, quoteMark))
		if offer.Where != "" {
			fmt.Fprintf(&b, "  where:   %s\n", clean(offer.Where))
		}
		for _, gets := range offer.Gets(agent.Quote) {
			fmt.Fprintf(&b, "  gets:    %s\n", clean(gets))
		}
		if len(offer.Touches) > 0 {
			fmt.Fprintf(&b, "  touches: it %s\n", clean(strings.Join(offer.Touches, ", ")))
		}
		fmt.Fprintf(&b, "  why:     %s\n", clean(q.Why))
	case record.Input:
		fmt.Fprintf(&b, "\n%s asks:\n%s", strings.ToUpper(about.Who()[:1])+about.Who()[1:], agent.QuoteLines(q.Whole(), quoteMark))
		for i, choice := range about.Choices {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, agent.Quote(choice))
		}
		if q.Why != "" {
			fmt.Fprintf(&b, "%s\n", clean(q.Why))
		}
		b.WriteString("The answer goes to the model: write no password, key or token into it.\n")
	case record.Secret:
		fmt.Fprintf(&b, "\n%s\n  why:     %s\n", clean(q.Text), clean(q.Why))
	default:
		fmt.Fprintf(&b, "\n%s\n%s\n", clean(q.Text), clean(q.Why))
	}
	return b.String()
}

// choicesText says what can be typed. An empty line changes nothing.
func choicesText(q record.Question) string {
	const later = "Enter = decide later > "
	switch about := q.Subject.(type) {
	case record.Approvable:
		offer := about.Offer()
		text := ""
		switch {
		case offer.Kept:
			text = "y = allow for this project, "
		case offer.Once && offer.Task:
			text = "y = allow once, task = allow for this task, "
		case offer.Once:
			text = "y = allow once, "
		case offer.Task:
			text = "y or task = allow for this task, "
		}
		if offer.Always != "" {
			text += fmt.Sprintf("a = always allow exactly this here: %s, ", agent.Quote(offer.Always))
		}
		return text + "n = deny, n REASON = deny and say why, " + later
	case record.Secret:
		return "its value (not shown), n = deny, " + later
	case record.Trust:
		return "y = trust it and everything below it, n = only read, " + later
	case record.Limit:
		return "y = go on, n = stop here, " + later
	}
	if q.Unsure {
		return "another answer, send = it is no secret: send it, " + later
	}
	about, _ := q.Subject.(record.Input)
	if about.Class != "" {
		return fmt.Sprintf("%s, or your own words; Enter = %s > ", numbers(len(about.Choices)), record.ClassOpen)
	}
	if len(about.Choices) > 0 {
		return fmt.Sprintf("%s, or your own words; %s", numbers(len(about.Choices)), later)
	}
	return "your own words; " + later
}

// numbers are those of a number of choices.
func numbers(n int) string {
	if n == 1 {
		return "1"
	}
	return fmt.Sprintf("1-%d", n)
}

// wrong says what is wrong with an answer, by what can be typed.
func (c *console) wrong(q record.Question, a record.Answer, err error) string {
	var keys []string
	switch about := q.Subject.(type) {
	case record.Approvable:
		offer := about.Offer()
		keys = append(keys, "y")
		if offer.Task {
			keys = append(keys, "task")
		}
		if offer.Always != "" {
			keys = append(keys, "a")
		}
	case record.Trust, record.Limit:
		keys = append(keys, "y")
	}
	if keys == nil || slices.Contains([]string{record.Approve, record.ApproveTask, record.ApproveAlways, record.Deny}, a.Text) {
		return err.Error()
	}
	return fmt.Sprintf("%q is not a decision: answer %s or n, or press Enter to decide later", a.Text, strings.Join(keys, ", "))
}

// answer interprets what was typed: letters for an approval, and the word by which a user
// insists on an answer that was held back.
func (c *console) answer(q record.Question, line string) record.Answer {
	if about, ok := q.Subject.(record.Input); ok {
		if q.Unsure && strings.EqualFold(line, "send") && !slices.Contains(about.Choices, line) {
			return record.Answer{Text: c.last.Text, Sure: true}
		}
		return record.Answer{Text: line}
	}
	if q.Kind() == record.KindSecret {
		if line == "n" {
			line = record.Deny
		}
		return record.Answer{Text: line}
	}
	return decided(line)
}

// decided interprets the letters of a decision; what is none stays as it is.
func decided(line string) record.Answer {
	word, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case "y", "yes":
		return record.Answer{Text: record.Approve}
	case "task":
		return record.Answer{Text: record.ApproveTask}
	case "a", "always":
		return record.Answer{Text: record.ApproveAlways}
	case "n", "no":
		return record.Answer{Text: record.Deny, Reason: strings.TrimSpace(rest)}
	}
	return record.Answer{Text: line}
}
