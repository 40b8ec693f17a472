package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// pictureFile is the README's picture: the demo at work, as an animated SVG.
const pictureFile = "../../editors/demo.svg"

// TestReadmePicture keeps the README's picture equal to what the demo shows on a
// terminal; -update makes it anew.
func TestReadmePicture(t *testing.T) {
	comparePicture(t, pictureFile, picture(film(demoLines(t)), pictureRows, "caselsp carries out a task in the bundled project"))
}

// comparePicture compares a picture with a file; -update rewrites it.
func comparePicture(t *testing.T, file string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(got, want):
	case !*update:
		t.Errorf("%s is not what the program shows: run make generate\n%s", filepath.Base(file), udiff.Unified("kept", "shown", picturesText(want), picturesText(got)))
	default:
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// picturesText is the text of a picture, a part of a row in a line.
func picturesText(svg []byte) string { return tagsOfPicture.ReplaceAllString(string(svg), "\n") }

var tagsOfPicture = regexp.MustCompile(`(?:<[^>]*>\s*)+`)

// demoLines plays the demo and returns what it writes on a terminal with colours.
func demoLines(t *testing.T) []string {
	rec, err := demoRecording()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "blog")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := copyProject(os.DirFS("demo/project"), dir); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	screen := newDemoScreen(&out, true, rec.Answers())
	if err := playDemo(t.Context(), rec, dir, t.TempDir(), screen); err != nil {
		t.Fatal(err)
	}
	// What differs from run to run: the folder, and the task's id.
	text := strings.NewReplacer(dir, "/tmp/caselsp-demo-blog", screen.status().Task.ID, rec.Task.ID).Replace(out.String())
	return strings.Split(strings.TrimRight("$ make demo\n"+text, "\n"), "\n")
}

// The picture's measures: in characters, and in the SVG's units.
const (
	pictureColumns, pictureRows = 104, 30
	pictureWidth, lineHeight    = pictureColumns * 84 / 10, 19
	margin, titleBar            = 20, 40
)

// hunkShown is how many lines of a diff the picture shows; a film of whole files
// would be too long to watch.
const hunkShown = 13

// scene is lines that appear together, and how long nothing follows them.
type scene struct {
	lines []string
	hold  time.Duration
}

// How long the scenes are looked at.
const (
	diffHold, lineHold, stateHold, questionHold, endHold = 100 * time.Millisecond, 200 * time.Millisecond, 600 * time.Millisecond, 3 * time.Second, 7 * time.Second
)

var escapes = regexp.MustCompile("\x1b\\[([0-9]+)m")

// diffHead and diffLine are the lines of a diff as the terminal shows them.
var diffHead, diffLine = regexp.MustCompile(`^    diff --git `), regexp.MustCompile(`^    ([-+@ \\]|(diff|index|new|deleted|old|similarity|rename) )`)

// film cuts the demo into scenes: diffs are shortened, questions are shown long
// enough to be read.
func film(lines []string) []scene {
	var scenes []scene
	var diff []string
	flush := func() {
		if more := len(diff) - hunkShown; more > 1 {
			diff = append(diff[:hunkShown:hunkShown], fmt.Sprintf("    … %d more lines", more))
		}
		for chunk := range slices.Chunk(diff, 3) {
			scenes = append(scenes, scene{chunk, diffHold})
		}
		diff = nil
	}
	for i := 0; i < len(lines); i++ {
		if plain := escapes.ReplaceAllString(lines[i], ""); diffHead.MatchString(plain) || diff != nil && diffLine.MatchString(plain) {
			diff = append(diff, lines[i])
			continue
		}
		flush()
		s := scene{[]string{lines[i]}, lineHold}
		switch {
		case strings.HasPrefix(escapes.ReplaceAllString(lines[i], ""), "  ? "):
			for i+1 < len(lines) && lines[i+1] != "" {
				i++
				s.lines = append(s.lines, lines[i])
			}
			s.hold = questionHold
		case lines[i] == "" && i+1 < len(lines):
			s.hold = stateHold
		}
		scenes = append(scenes, s)
	}
	flush()
	scenes[0].hold = stateHold
	scenes[len(scenes)-1].hold = endHold
	return scenes
}

// folded breaks a line into rows, between words where it can, and keeps the style
// over the break.
func folded(line string) (rows []string) {
	style, row, column := "", "", 0
	for len(line) > 0 {
		if m := escapes.FindString(line); m != "" && strings.HasPrefix(line, m) {
			style, row, line = m, row+m, line[len(m):]
			continue
		}
		if column == pictureColumns {
			head, tail := row, ""
			if i := strings.LastIndexByte(row, ' '); i > len(row)-pictureColumns/4 {
				head, tail = row[:i], row[i+1:]
			}
			rows, row = append(rows, head), style+tail
			column = utf8.RuneCountInString(escapes.ReplaceAllString(row, ""))
		}
		_, n := utf8.DecodeRuneInString(line)
		row, line = row+line[:n], line[n:]
		column++
	}
	return append(rows, row)
}

// picture draws the scenes: all lines stand below each other, and move up
// behind a window of some rows by one step for each scene. A single scene stands still.
func picture(scenes []scene, window int, label string) []byte {
	var rows, frames []string
	total := time.Duration(0)
	for _, s := range scenes {
		total += s.hold
	}
	at := time.Duration(0)
	for _, s := range scenes {
		for _, line := range s.lines {
			rows = append(rows, folded(line)...)
		}
		frames = append(frames, fmt.Sprintf("%.2f%%{transform:translateY(%dpx)}", 100*at.Seconds()/total.Seconds(), (window-len(rows))*lineHeight))
		at += s.hold
	}
	width, height := pictureWidth+2*margin, window*lineHeight+titleBar+margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%[3]s">`+"\n", width, height, label)
	fmt.Fprintf(&b, "<style>\n@keyframes film{%s}\n", strings.Join(frames, ""))
	fmt.Fprintf(&b, `text{font:14px ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",Consolas,monospace;fill:#c9d1d9;white-space:pre}
.film{transform:translateY(%dpx);animation:film %.1fs step-end infinite}
.s1{font-weight:bold;fill:#fff}.s31{fill:#ff7b72}.s32{fill:#7ee787}.s33{fill:#e3b341}.s36{fill:#79c0ff}
@media (prefers-reduced-motion:reduce){.film{animation:none}}
</style>
`, (window-len(rows))*lineHeight, total.Seconds())
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/><circle cx="20" cy="20" r="6" fill="#ff5f58"/><circle cx="40" cy="20" r="6" fill="#ffbd2e"/><circle cx="60" cy="20" r="6" fill="#18c132"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%d" height="%d"><g class="film">`+"\n", margin, titleBar, width-margin, window*lineHeight)
	for i, row := range rows {
		if row != "" {
			fmt.Fprintf(&b, "<text y=\"%d\">%s</text>\n", i*lineHeight+14, spans(row))
		}
	}
	b.WriteString("</g></svg>\n</svg>\n")
	return b.Bytes()
}

// spans writes a row with its styles.
func spans(row string) string {
	var b strings.Builder
	style := ""
	write := func(text string) {
		if text == "" {
			return
		}
		var escaped bytes.Buffer
		_ = xml.EscapeText(&escaped, []byte(text)) // a buffer takes everything
		if style == "" || style == "0" {
			b.Write(escaped.Bytes())
			return
		}
		fmt.Fprintf(&b, `<tspan class="s%s">%s</tspan>`, style, escaped.Bytes())
	}
	end := 0
	for _, m := range escapes.FindAllStringSubmatchIndex(row, -1) {
		write(row[end:m[0]])
		style, end = row[m[2]:m[3]], m[1]
	}
	write(row[end:])
	return b.String()
}
