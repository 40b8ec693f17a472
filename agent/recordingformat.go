package agent

import (
	"encoding/json"
	"fmt"
	"io"
)

// recordingFormat is the format that Export writes. Format 1 had no header; its
// other lines are the same, so ReadRecording reads both. A new number is for lines
// that an older ReadRecording would misread, or for another conversation: in formats 1
// and 2 a request held the files anew each time, and one call of a reply was done. What
// else the prompts say is no part of the format: a replay finds out where it parts from
// the recording, and the header's version says who can replay it.
const recordingFormat = 3

// appendOnly is the first format whose requests each begin with the one before.
const appendOnly = 3

// Header is the first line of a recording.
type Header struct {
	Format  int    `json:"format"`            // see recordingFormat
	Version string `json:"version,omitempty"` // of the caselsp that made it
}

// Maker names the caselsp that made the recording.
func (h Header) Maker() string {
	switch {
	case h.Version != "":
		return "caselsp " + h.Version
	case h.Format == 1:
		return "caselsp 67f7baf or older" // the last commit that wrote format 1
	}
	return "a caselsp that did not name its version"
}

// Advice says which version replays the recording where the caselsp called version
// does not; "" where it is that one.
func (h Header) Advice(version string) string {
	if h.Version == version {
		return ""
	}
	return fmt.Sprintf("The recording was made by %s with format %d, and this is caselsp %s: replay it with that version", h.Maker(), h.Format, version)
}

// writeHeader writes the first line of a recording.
func writeHeader(w io.Writer, version string) error {
	if err := json.NewEncoder(w).Encode(Header{Format: recordingFormat, Version: version}); err != nil {
		return fmt.Errorf("the recording cannot be written: %w", err)
	}
	return nil
}

// readHeader reads the first line of a recording. Where that is no header, the
// recording is of format 1 and found is false.
func readHeader(line []byte) (h Header, found bool, err error) {
	if err := json.Unmarshal(line, &h); err != nil || h.Format == 0 {
		return Header{Format: 1}, false, nil
	}
	if h.Format > recordingFormat {
		return h, true, fmt.Errorf("the recording was made by %s with format %d, and this caselsp reads formats up to %d: replay it with that version", h.Maker(), h.Format, recordingFormat)
	}
	return h, true, nil
}
