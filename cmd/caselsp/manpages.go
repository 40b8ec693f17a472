package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// writeManual writes the manual pages into man1 (a page for each command) and man7 (a page for each topic) below dir, as
// man(1) looks for them, and returns how many there are. Equal programs write equal pages: see manualDate.
func writeManual(root *cobra.Command, dir string) (pages int, err error) {
	commands, reference := filepath.Join(dir, "man1"), filepath.Join(dir, "man7")
	for _, d := range []string{commands, reference} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return 0, err
		}
	}
	date := manualDate()
	if pages, err = commandPages(root, commands, &doc.GenManHeader{Section: "1", Source: "caselsp " + versionText(), Manual: "caselsp manual", Date: &date}); err != nil {
		return 0, err
	}
	for _, t := range topics {
		name := "caselsp-" + t.name
		head := fmt.Sprintf("%% %q 7 %q %q %q\n\n# NAME\n\n%s \\- %s\n\n", strings.ToUpper(name), date.Format("Jan 2006"), "caselsp "+versionText(), "caselsp manual", name, t.does)
		if err := os.WriteFile(filepath.Join(reference, name+".7"), md2man.Render([]byte(head+t.text())), 0o644); err != nil {
			return 0, err
		}
		pages++
	}
	return pages, nil
}

// manualDate is the date of SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), else that of the
// commit that the program was built from, else the zero of Unix.
func manualDate() time.Time {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}

// commandPages writes the page of a command and those of the commands below it.
func commandPages(cmd *cobra.Command, dir string, header *doc.GenManHeader) (pages int, err error) {
	if !cmd.IsAvailableCommand() && cmd.HasParent() && cmd.Name() != "help" || cmd.IsAdditionalHelpTopicCommand() {
		return 0, nil
	}
	for _, c := range cmd.Commands() {
		n, err := commandPages(c, dir, header)
		if err != nil {
			return 0, err
		}
		pages += n
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	own := *header
	own.Title = strings.ToUpper(name)
	cmd.DisableAutoGenTag = true
	f, err := os.Create(filepath.Join(dir, name+".1"))
	if err != nil {
		return 0, err
	}
	if err := doc.GenMan(cmd, &own, f); err != nil {
		_ = f.Close() // the first error counts
		return 0, err
	}
	return pages + 1, f.Close()
}
