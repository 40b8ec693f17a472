// Package workspace says what a file is now, keeps what the agent staged on
// top of that, and brings accepted edits to the disk.
//
// A [Workspace] is one or several folders as the user sees them: the editor's
// open buffer where there is one, else the disk. An [Overlay] is one task's
// staged copy on top. When the user types into a file that is staged, the
// staged edit is rebased at once, and where both changed the same lines the
// user's text stands. A [ChangeSet] is what the user reviews, and [Disk] is the
// only thing in here that changes a file of the user's.
//
// It hides encodings (a file comes out as text and goes back byte for byte),
// links (every file has one path, the one that links end at, so that no unsaved
// buffer is passed by under another name), ignore rules, and git's formats.
//
// It never loses a byte of the user's: what is not text is refused instead of
// guessed, a write names the content that it replaces and looks at what it
// replaced, and a merge drops the agent's lines, not the user's. It never
// leaves the folders ([os.Root]), with one exception that only reads: the
// .gitignore files and the repository above a folder that is part of a larger
// one. It never starts git or any other program: git executes what a
// repository configures.
package workspace
