package main

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// make pictures sets it.
var shoot = flag.Bool("pictures", false, "take the pictures that a browser makes")

const (
	reviewPicture  = "../../editors/review.svg"
	metricsPicture = "../../editors/metrics.png"
	// largestPicture is of a file, in bytes: a page with all of them is read over a telephone, too.
	largestPicture = 150 << 10
	// shotWidth and shotHeight are of the window that the browser takes a picture of: the metrics' first screen.
	shotWidth, shotHeight = 1112, 876
)

// TestReadmeReviewPicture keeps the picture of the review equal to what the terminal shows for the task that the
// first hour resumes; -update makes it anew.
func TestReadmeReviewPicture(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "git", "script"} { // script(1) gives a command a terminal
		need(t, program)
	}
	text, err := os.ReadFile(firstHour)
	if err != nil {
		t.Fatal(err)
	}
	s := newNewcomer(t, "testdata/firsthour.txt")
	for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
		for _, command := range commandsOf(block[1]) {
			if command == "caselsp review" {
				break
			}
			s.run(command)
		}
	}
	shown := s.run("TERM=xterm COLUMNS=100 script -qec 'caselsp review' /dev/null </dev/null")
	shown = controls.ReplaceAllString("$ caselsp review\n"+shown, "")
	const prompt = "anything else = later >"
	shown, _, asked := strings.Cut(shown, prompt) // nobody answers
	if !asked {
		t.Fatalf("the review does not ask:\n%s", shown)
	}
	// Before or after the end of the input: that decides whether the program or the terminal breaks the prompt's line.
	said, choices := shown[:strings.LastIndex(shown, "a = accept")], shown[strings.LastIndex(shown, "a = accept"):]
	lines := strings.Split(said+strings.Join(strings.Fields(choices), " ")+" "+prompt, "\n")
	comparePicture(t, reviewPicture, picture([]scene{{lines, time.Second}}, rowsOf(lines), "caselsp review shows the changes of a task in the terminal"))
}

// controls are what a terminal obeys, other than colours.
var controls = regexp.MustCompile("\r|\x1b\\[[0-9;?]*[A-Zhl]|\\^D|\x08")

func rowsOf(lines []string) (n int) {
	for _, line := range lines {
		n += len(folded(line))
	}
	return n
}

// TestPictures looks at the pictures of the README: each is small and is one. With -pictures it takes the one of the
// metrics first, of tasks that it runs, with chromium.
func TestPictures(t *testing.T) {
	if *shoot {
		shootMetrics(t)
	}
	for _, file := range []string{pictureFile, livePicture, reviewPicture, metricsPicture} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(raw) > largestPicture {
			t.Errorf("%s has %d bytes, more than %d", file, len(raw), largestPicture)
		}
		if filepath.Ext(file) != ".png" {
			continue
		}
		if p, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || p.Width != shotWidth || p.Height != shotHeight {
			t.Errorf("%s: %+v, %v", file, p, err)
		}
	}
}

// shootMetrics runs a few tasks, of which some end well, and takes the picture of their metrics.
func shootMetrics(t *testing.T) {
	s := newNewcomer(t, "testdata/pictures.txt")
	s.run("mkdir -p src/bakery .config/caselsp")
	settings := fmt.Sprintf(`{"model": {"base_url": %q, "name": "large", "roles": {"case": {"name": "small"}},
		"prices": {"large": {"prompt": 1.25, "cached": 0.125, "completion": 10}, "small": {"prompt": 0.25, "cached": 0.025, "completion": 2}}}}`, s.model.URL)
	if err := os.WriteFile(filepath.Join(s.home, ".config/caselsp/settings.json"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	const page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n  <meta charset=\"utf-8\">\n  <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n  <title>Bakery</title>\n</head>\n" +
		"<body>\n  <main>\n    <h1>Bakery</h1>\n    <p>Bread and cake, baked at night.</p>\n  </main>\n</body>\n</html>\n"
	if err := os.WriteFile(filepath.Join(s.home, "src/bakery/index.html"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"cd src/bakery && caselsp trust",
		`caselsp run --yes --type feature "show the opening hours"`,
		`caselsp run --yes --type feature "add a page about the bakers"`,
		`caselsp run --single "Which page names the bakers?"`,
		`caselsp run --single --type refactoring "write the heading in capitals" ; caselsp review --reject`,
		`caselsp run --single --type fix "mend the price of bread" ; true`,
		"caselsp metrics --html metrics.html",
	} {
		s.run(command)
	}
	file, err := filepath.Abs(metricsPicture)
	if err != nil {
		t.Fatal(err)
	}
	html := filepath.Join(s.home, "src/bakery/metrics.html")
	raw, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(html, []byte(strings.ReplaceAll(string(raw), s.home, "/home/you")), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := exec.CommandContext(t.Context(), editorProgram("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--window-size=%d,%d", shotWidth, shotHeight), "--screenshot="+file, "file://"+html)
	if out, err := browser.CombinedOutput(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
}
