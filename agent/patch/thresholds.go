package patch

// The thresholds by which the places of hunks are judged. Each line says what one
// separates, and which cases move when it does: those of testdata by their names,
// those of the shared corpus by their kinds. What no case sets is not here.
// The factors of the confidence are in settle.go: they report, they decide nothing. What
// a message shows is bounded in explain.go.
const (
	// enough is the share of what the old lines say that must be in the file: it
	// parts changed context from a stale hunk. Set by "a block with the old line and
	// half the context elsewhere" and "the line to remove was changed meanwhile".
	enough = 0.6
	// exactEnough is that share where every removed line is in the file as it is
	// quoted: then context that has changed meanwhile matters less. Set by stale_ctx.
	exactEnough = 0.5
	// fullContext is how many lines before and after a change diff tools write. Fewer say
	// that the file began or ended there; so many must say that a change belongs there. Set
	// by merged_hunks and elided.
	fullContext = 3
	// lead is how much more the best chain must say than one that puts a change
	// elsewhere: less than that is one line of words. Set by ctx_dropped and by "dots
	// stand for lines that were left out".
	lead = 0.5
	// skewCost is what a chain loses for each line that only one of both texts has
	// between two of its lines. None takes a block with half the context elsewhere,
	// three times as much refuses ctx_dropped.
	skewCost = 0.15
	// slack is how many lines more than a hunk names are looked at before its first
	// and after its last anchor. Set by "the last bracket is the one of its own depth".
	slack = 4
	// otherDepth is how well a bracket is one of another depth than those around it
	// show: so much less that a line is rather skipped. Set by the same case.
	otherDepth = 0.8
	// unknownLines is how many lines between two neighbours of an insertion the hunk
	// may leave out, for their layout to tell where it goes. Set by ctx_dropped and by
	// "a blank line that was left out does not part what it parted".
	unknownLines = 2
	// nearLimit is how many lines a stated number may be off and still choose among
	// equal places, and nearRatio how many times further than the nearest place the
	// next one must be. Set by dup_ctx_num_off and "a stated line that is not one
	// of the places".
	nearLimit = 20
	nearRatio = 2
	// leastSaid is what the old lines must say (see weight) for a place that they fit
	// only in another indentation or with other signs, and half of it near a change: a bracket
	// is anywhere. Less makes ctx_dropped wrong, more refuses it.
	leastSaid = 1
	// alike is the likeness from which two context lines count as versions of one
	// line. Set by "already inserted as the next entry of a list".
	alike = 0.6
	// misquoted is what a line counts at most that is only like one of the file. Set by
	// patches for another file, of which half the lines are like some of this one.
	misquoted = 0.9
	// slipWord is how many letters a word needs for a slip in it to be recognised as
	// one: in shorter ones one letter is the difference between two words. slipLine is
	// how many signs a line needs for an exchange to be recognised. Set by typo_del.
	slipWord = 4
	slipLine = 20
	// numberSlack is how far the number before a new line may be from those before old
	// lines: what is further is text. Set by "a case of a shell between numbered lines"
	// and, through what the hunks above add, by "numbers in all lines".
	numberSlack = 200
	// leastPart is how many signs a SEARCH has that is a part of a line. Set by "a part
	// of two lines".
	leastPart = 4
	// wrapWidth is how long a line is at least that was wrapped, with the next word.
	// Set by "wrapped lines" and "prose with plus signs is not written".
	wrapWidth = 72
	// sentence is how many words a line has at least beside its code in backticks for that
	// code to be quoted only. Set by the formats' own text, which must be read as an edit.
	sentence = 3
)

// Limits on work. What is beyond them is refused as not found.
const (
	// anchorPlaces is how many lines of the file may equal a line for it to be an
	// anchor. It bounds the pairs; what is more common says little.
	anchorPlaces = 24
	// searchLimit bounds the lines that are compared to find those of a hunk around its
	// rarest: in a file of equal lines that takes quadratic time.
	searchLimit = 1 << 28
	// pairLimit bounds the pairs of one hunk, and pairWindow those before a pair
	// that can come before it in a chain: scoring takes time by their product.
	pairLimit  = 4000
	pairWindow = 256
	// gapCells bounds the local alignment of what lies between two anchors.
	gapCells = 1 << 14
	// blockLimit bounds the changes of one hunk that is aligned: each is weighed
	// against another place. A hunk of more is a file rewritten.
	blockLimit = 64
	// compareLimit bounds, in runes, what two lines have between their common
	// beginning and end for their likeness to be measured. Lines that differ in more
	// are minified code or data, and are compared as wholes.
	compareLimit = 400
	// commonWord is how often a word may be in a file and still help to find the
	// place that was meant; it bounds the work for a file of equal lines.
	commonWord = 100
	// elidedLimit bounds the lines that "..." may stand for where they are removed.
	elidedLimit = 1000
	// wrapParts is in how many parts at most a wrapped line is.
	wrapParts = 6
	// longestName bounds, in bytes, what is looked up as the name of a file: no system
	// has longer ones.
	longestName = 4096
	// maxStages bounds how often the hunks of one patch are read against the result of
	// those before them: each time costs as much as a patch of its own.
	maxStages = 16
)
