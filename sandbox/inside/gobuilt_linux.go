//go:build linux && (amd64 || arm64)

package inside

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// linkBuilt lets Go's build cache begin with links to what is in GoBuilt. Go writes beside what it
// reads, so the folders are the command's own; what it writes goes with it.
func (r *resident) linkBuilt() error {
	if r.Built == "" {
		return nil
	}
	err := filepath.WalkDir(GoBuilt, func(name string, e fs.DirEntry, err error) error {
		here := GoCache + strings.TrimPrefix(name, GoBuilt)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.Mkdir(here, 0o755)
		case filepath.Dir(name) == GoBuilt: // what Go notes about the cache itself
			return nil
		}
		return os.Symlink(name, here)
	})
	if err != nil {
		return err
	}
	// As old as they look, Go would clear them away: it does that once a day.
	return os.WriteFile(GoCache+"/trim.txt", []byte(strconv.FormatInt(time.Now().Unix(), 10)), 0o644)
}
