// Package screen is the lower end of a terminal: a few rows that stay below everything that is printed, and under
// them the line that a person types. What is printed scrolls by above and stays in the terminal's own scrollback: there
// is no alternate screen and no scroll region, so that a process that is killed leaves a terminal that works.
//
// A [Region] is drawn again below whatever is printed with [Region.Above]. Each row is cut to the terminal and drawn
// without wrapping, so that the number of rows on the screen is known whatever the terminal thinks of a character's
// width. Rows are drawn as they are given: whoever makes them takes control characters out, see package quote.
//
// What is typed is edited here, too: an answer behind a [Prompt], or a message, which stays while something is printed, shown or
// asked. So the keyboard and the screen have one owner, and a text that was typed for one thing never becomes the answer to another.
//
// Bubble Tea lost: it owns standard input and the whole of the output, but what is typed here is at times edited by the
// terminal itself (secrets), read with the time at which it was typed, and read by another process. Its text area
// (bubbles) comes only with it, takes every code point for a character, and asks the terminal for its colours before main does.
// Lip Gloss makes the styles, in cmd/caselsp. Its second version lost to the first: in tmux it starts a process
// ("tmux info") before main does. The line editors readline (of reeflective, ergochat and chzyer) and liner lost, because each
// reads standard input and draws by itself: nothing can stand below the line or be printed above it by somebody else, and but
// for the first they know one line only. That of golang.org/x/term lost, because it knows a prompt of one row only, and takes
// every character for one column.
package screen
