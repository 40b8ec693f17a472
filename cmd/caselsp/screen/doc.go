// Package screen is the lower end of a terminal: a few rows that stay below everything that is printed, and under
// them the line that a person types. What is printed scrolls by above and stays in the terminal's own scrollback: there
// is no alternate screen and no scroll region, so that a process that is killed leaves a terminal that works.
//
// A [Region] is drawn again below whatever is printed with [Region.Above]. Each row is cut to the terminal and drawn
// without wrapping, so that the number of rows on the screen is known whatever the terminal thinks of a character's
// width. Rows are drawn as they are given: whoever makes them takes control characters out, see package quote.
//
// Bubble Tea lost: it owns standard input and the whole of the output, but what is typed here is at times edited by the
// terminal itself (questions, secrets), read with the time at which it was typed, and read by another process. Lip Gloss
// makes the styles, in cmd/caselsp. Its second version lost to the first: in tmux it starts a process ("tmux info")
// before main does. The line editor of golang.org/x/term lost, because it knows a prompt of one row only, and takes
// every character for one column.
package screen
