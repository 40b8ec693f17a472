//go:build linux && (amd64 || arm64)

package inside

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// madeFile tells whether a file is still as it was made. Its times would not: writing
// to a mapped file changes none on a tmpfs. The sum has a secret, random seed, and
// decides only whether a file is copied out, and copied in again for the next command.
type madeFile struct {
	inode   uint64
	mode    uint32
	size    int64
	changed unix.Timespec
	sum     uint64
}

var sumSeed = maphash.MakeSeed()

// copyBuffer is how much of a tree is moved at once.
const CopyBuffer = 256 << 10

// write makes the work tree of an order and what follows it.
func (r *resident) write(o Order) error {
	if err := unix.Mount("", WorkFolder, "", unix.MS_REMOUNT|plain, fmt.Sprintf("size=%d,nr_inodes=%d", o.Room, InodesLimit)); err != nil {
		return err
	}
	unix.Umask(0)
	defer unix.Umask(0o022)
	if err := os.Chdir(WorkFolder); err != nil {
		return err
	}
	for _, name := range o.Gone {
		delete(r.files, name)
		if err := unix.Unlink(name); err != nil {
			return &fs.PathError{Op: "unlink", Path: name, Err: err}
		}
		for dir := range Parents(name) {
			if unix.Rmdir(dir) != nil {
				break // others lie in it
			}
		}
	}
	folders := make(map[string]bool)
	buf := make([]byte, CopyBuffer)
	for _, f := range o.Files {
		if dir := path.Dir(f.Path); !folders[dir] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			folders[dir] = true
		}
		if f.Link != "" { // made anew for each command, so nothing is kept of it
			if err := unix.Symlink(f.Link, f.Path); err != nil {
				return &fs.PathError{Op: "symlink", Path: f.Path, Err: err}
			}
			continue
		}
		m, err := writeFile(f, r.in, buf)
		if err != nil {
			return &fs.PathError{Op: "write", Path: f.Path, Err: err}
		}
		r.files[f.Path] = m
	}
	return nil
}

func writeFile(f TreeFile, in io.Reader, buf []byte) (m madeFile, err error) {
	fd, err := unix.Open(f.Path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(f.Mode.Perm()))
	if err != nil {
		return m, err
	}
	defer unix.Close(fd)
	var sum maphash.Hash
	sum.SetSeed(sumSeed)
	for left := f.Size; left > 0; {
		n, err := io.ReadFull(in, buf[:min(left, len(buf))])
		if err != nil {
			return m, err
		}
		_, _ = sum.Write(buf[:n]) // never fails
		for p := buf[:n]; len(p) > 0; {
			k, err := unix.Write(fd, p)
			if err != nil {
				return m, err
			}
			p = p[k:]
		}
		left -= n
	}
	var s unix.Stat_t
	err = unix.Fstat(fd, &s)
	return madeFile{inode: s.Ino, mode: s.Mode, size: s.Size, changed: s.Ctim, sum: sum.Sum64()}, err
}

// sumWorkers compare files at once: each waits for memory most of its time.
const sumWorkers = 4

// touched takes the files out of the given ones that are not as they were made,
// in any way, and returns their paths. A second name counts, for it makes of two
// files one.
func (r *resident) touched() []string {
	names := slices.Sorted(maps.Keys(r.files))
	same := make([]bool, len(names))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range sumWorkers {
		workers.Go(func() {
			buf := make([]byte, CopyBuffer)
			for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
				same[i] = r.files[names[i]].same(names[i], buf)
			}
		})
	}
	workers.Wait()
	var list []string
	for i, name := range names {
		if !same[i] {
			list = append(list, name)
			delete(r.files, name)
		}
	}
	return list
}

// same reports whether the file of a name is that which was made. It may have
// become anything, also a pipe.
func (m madeFile) same(name string, buf []byte) bool {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil || s.Ino != m.inode || s.Nlink != 1 || s.Mode != m.mode || s.Size != m.size || s.Ctim != m.changed {
		return false
	}
	var sum maphash.Hash
	sum.SetSeed(sumSeed)
	for left := s.Size; left > 0; {
		n, err := unix.Read(fd, buf[:min(left, int64(len(buf)))])
		if n <= 0 || err != nil {
			return false
		}
		_, _ = sum.Write(buf[:n]) // never fails
		left -= int64(n)
	}
	return sum.Sum64() == m.sum
}

// errOdd says that a sandbox cannot be made as good as new.
var errOdd = errors.New("the command left something behind that cannot be removed")

// clean removes what the command left: all files but the given ones that it did
// not touch, and what folders had besides. Nothing of it runs any more.
func (r *resident) clean() error {
	if err := os.Chdir("/"); err != nil { // no folder of ours is in use below
		return err
	}
	err := errors.Join(unix.Unmount("/tmp", 0), unix.Unmount("/dev/shm", 0))
	if err == nil {
		err = mountScratch("", r.Disk)
	}
	if err == nil {
		err = os.Chdir(WorkFolder)
	}
	if err != nil {
		return err
	}
	folders := map[string]bool{".": true}
	for name := range r.files {
		for dir := range Parents(name) {
			folders[dir] = true
		}
	}
	return filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		_, given := r.files[name]
		switch {
		case err != nil:
			return err
		case e.IsDir() && folders[name]:
			return r.mend(name)
		case e.IsDir():
			if err := os.RemoveAll(name); err != nil {
				return err
			}
			return fs.SkipDir
		case given:
			return nil
		}
		return unix.Unlink(name)
	})
}

// mend gives a folder its usual mode back. Other attributes and times that it
// was given on purpose are rare: then another sandbox is cheaper than a proof.
func (r *resident) mend(name string) error {
	var s unix.Stat_t
	if err := unix.Lstat(name, &s); err != nil {
		return err
	}
	extra, err := unix.Llistxattr(name, nil)
	if err != nil && err != unix.EOPNOTSUPP {
		return err
	}
	if made := time.Unix(s.Mtim.Unix()); extra > 0 || made.Before(r.born.Add(-clockGrain)) || made.After(time.Now()) {
		return errOdd
	}
	if s.Mode == unix.S_IFDIR|0o755 {
		return nil
	}
	return unix.Chmod(name, 0o755)
}

// clockGrain is by how much the times of files may be behind the clock.
const clockGrain = 100 * time.Millisecond

// packer writes the work tree as an archive like Docker's.
type packer struct {
	folder string
	tar    *tar.Writer
	same   map[string]madeFile
	linked map[uint64]string // by inode, of files with several names
	buf    []byte
}

// packTree writes a folder, without what is the same, as an archive whose paths
// lie below that folder. Nothing runs any more that could
// change it meanwhile.
func packTree(w io.Writer, folder string, same map[string]madeFile) error {
	if err := os.Chdir(folder); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, CopyBuffer)
	p := &packer{folder: folder[1:], tar: tar.NewWriter(out), same: same, linked: make(map[uint64]string), buf: make([]byte, CopyBuffer)}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if _, same := p.same[name]; err == nil && name != "." && !same {
			err = p.add(name)
		}
		if errors.Is(err, unix.ENAMETOOLONG) {
			if err := p.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeCont, Name: p.folder + "/" + name}); err != nil {
				return err
			}
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return err
	})
	if err == nil {
		err = p.tar.Close()
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// add writes one file, whatever it is. Sockets have no place in archives.
func (p *packer) add(name string) error {
	var s unix.Stat_t
	if err := unix.Lstat(name, &s); err != nil {
		return err
	}
	h := &tar.Header{Name: p.folder + "/" + name, Mode: int64(s.Mode & 0o7777), ModTime: time.Unix(s.Mtim.Unix())}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		h.Typeflag = tar.TypeDir
		h.Name += "/"
	case unix.S_IFLNK:
		h.Typeflag = tar.TypeSymlink
		to := make([]byte, unix.PathMax)
		n, err := unix.Readlink(name, to)
		if err != nil {
			return err
		}
		h.Linkname = string(to[:n])
	case unix.S_IFIFO:
		h.Typeflag = tar.TypeFifo
	case unix.S_IFCHR, unix.S_IFBLK:
		h.Typeflag = tar.TypeChar
	case unix.S_IFREG:
		return p.regular(name, h, s)
	default:
		return nil
	}
	return p.tar.WriteHeader(h)
}

func (p *packer) regular(name string, h *tar.Header, s unix.Stat_t) error {
	if first := p.linked[s.Ino]; first != "" {
		h.Typeflag, h.Linkname = tar.TypeLink, first
		return p.tar.WriteHeader(h)
	}
	if s.Nlink > 1 {
		p.linked[s.Ino] = h.Name
	}
	h.Typeflag, h.Size = tar.TypeReg, s.Size
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, p.buf)
		if n <= 0 || err != nil {
			return err
		}
		if _, err := p.tar.Write(p.buf[:n]); err != nil {
			return err
		}
	}
}
