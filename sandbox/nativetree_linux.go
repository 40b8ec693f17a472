//go:build linux && (amd64 || arm64)

package sandbox

import (
	"archive/tar"
	"bufio"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// madeFile is what tells whether a file is still as it was made. Its times do
// not: who writes to a file through memory changes none on a tmpfs. The sum has
// a seed that nobody knows, and it decides only whether a file is copied out.
type madeFile struct {
	inode uint64
	sum   uint64
}

var sumSeed = maphash.MakeSeed()

// copyBuffer is how much of a tree is moved at once.
const copyBuffer = 256 << 10

// writeFiles makes the work tree of what follows the order.
func writeFiles(files []treeFile, in io.Reader) ([]madeFile, error) {
	unix.Umask(0)
	if err := os.Chdir(workFolder); err != nil {
		return nil, err
	}
	made := make([]madeFile, len(files))
	folders := make(map[string]bool)
	buf := make([]byte, copyBuffer)
	for i, f := range files {
		if dir := path.Dir(f.Path); !folders[dir] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return nil, err
			}
			folders[dir] = true
		}
		if err := writeFile(f, in, buf, &made[i]); err != nil {
			return nil, &fs.PathError{Op: "write", Path: f.Path, Err: err}
		}
	}
	unix.Umask(0o022)
	return made, nil
}

func writeFile(f treeFile, in io.Reader, buf []byte, made *madeFile) error {
	fd, err := unix.Open(f.Path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(f.Mode.Perm()))
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var sum maphash.Hash
	sum.SetSeed(sumSeed)
	for left := f.Size; left > 0; {
		n, err := io.ReadFull(in, buf[:min(left, len(buf))])
		if err != nil {
			return err
		}
		_, _ = sum.Write(buf[:n]) // never fails
		for p := buf[:n]; len(p) > 0; {
			k, err := unix.Write(fd, p)
			if err != nil {
				return err
			}
			p = p[k:]
		}
		left -= n
	}
	var s unix.Stat_t
	err = unix.Fstat(fd, &s)
	*made = madeFile{inode: s.Ino, sum: sum.Sum64()}
	return err
}

// sameFiles returns the indices of the files that are as they were made. One
// with a second name is not counted among them: its content is then needed.
func sameFiles(files []treeFile, made []madeFile) []int {
	var same []int
	buf := make([]byte, copyBuffer)
	for i, f := range files {
		var s unix.Stat_t
		err := unix.Lstat(f.Path, &s)
		if err == nil && s.Ino == made[i].inode && s.Nlink == 1 && s.Size == int64(f.Size) && s.Mode == unix.S_IFREG|uint32(f.Mode.Perm()) && sumOf(f.Path, buf) == made[i].sum {
			same = append(same, i)
		}
	}
	return same
}

// sumOf returns the sum of a regular file's content, as far as it can be read:
// if that is not far enough the sum is another.
func sumOf(name string, buf []byte) uint64 {
	var sum maphash.Hash
	sum.SetSeed(sumSeed)
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, buf)
		if n <= 0 || err != nil {
			return sum.Sum64()
		}
		_, _ = sum.Write(buf[:n]) // never fails
	}
}

// packer writes the work tree as an archive like Docker's.
type packer struct {
	folder string
	tar    *tar.Writer
	same   map[string]bool
	linked map[uint64]string // by inode, of files with several names
	buf    []byte
}

// packTree writes a folder, without what is the same, as an archive whose paths
// lie below that folder. Nothing runs any more that could
// change it meanwhile.
func packTree(w io.Writer, folder string, files []treeFile, same []int) error {
	if err := os.Chdir(folder); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, copyBuffer)
	p := &packer{folder: folder[1:], tar: tar.NewWriter(out), same: make(map[string]bool, len(same)), linked: make(map[uint64]string), buf: make([]byte, copyBuffer)}
	for _, i := range same {
		p.same[files[i].Path] = true
	}
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && name != "." && !p.same[name] {
			err = p.add(name)
		}
		if errors.Is(err, unix.ENAMETOOLONG) {
			return errors.Join(p.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeCont, Name: p.folder + "/" + name}), fs.SkipDir)
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
