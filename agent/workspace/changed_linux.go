package workspace

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt returns when a file's content or properties last changed, as the system
// counts; zero where it does not say.
func changedAt(info fs.FileInfo) time.Time {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(s.Ctim.Unix())
}
