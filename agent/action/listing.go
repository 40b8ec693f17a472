package action

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
)

// dataFiles is from how many files on that those of one folder and extension are told
// together, where they are in no language: they are data, and one is like the other.
const dataFiles = 8

// Overview renders a list of files in at most so many bytes: files of data are told by
// their folder and extension, and where that is not enough, folders by the number of their
// files, those with the most files first.
func Overview(entries []workspace.Entry, more bool, most int) string {
	o := overview{lines: map[string][]listed{}}
	groups := map[string][]workspace.Entry{}
	for _, e := range entries {
		if key := path.Dir(e.Path) + "/*" + path.Ext(e.Path); syntax.LanguageOf(e.Path) == "" && path.Ext(e.Path) != "" {
			groups[key] = append(groups[key], e)
			continue
		}
		o.add(path.Dir(e.Path), listed{fmt.Sprintf("%s (%d bytes)", e.Path, e.Size), e.Path, 1})
	}
	for key, group := range groups {
		if len(group) >= dataFiles {
			o.add(path.Dir(key), listed{fmt.Sprintf("%s (%d files, %d bytes together)", strings.TrimPrefix(key, "./"), len(group), bytesOf(group)), key, len(group)})
			continue
		}
		for _, e := range group {
			o.add(path.Dir(e.Path), listed{fmt.Sprintf("%s (%d bytes)", e.Path, e.Size), e.Path, 1})
		}
	}
	collapsed := o.shrink(most)
	text := o.String()
	if len(entries) == 0 {
		return "No files."
	}
	if collapsed || more {
		text += "Not every file is named here: list a folder with " + ListFilesName + ".\n"
	}
	return cutLines(text, most)
}

// listed is a line of the overview: of a file, or of many.
type listed struct {
	text, path string
	files      int
}

type overview struct {
	lines map[string][]listed // by folder
	size  int
}

func (o *overview) add(folder string, l listed) {
	o.lines[folder] = append(o.lines[folder], l)
	o.size += len(l.text) + 1
}

// shrink tells folders in one line until the text fits. A folder of folders that are told so
// becomes a line of the folder that it is in.
func (o *overview) shrink(most int) (collapsed bool) {
	for o.size > most && len(o.lines) > 0 {
		folders := slices.SortedFunc(maps.Keys(o.lines), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(o.lines[b]), len(o.lines[a])), cmp.Compare(depth(b), depth(a)), strings.Compare(a, b))
		})
		folders = slices.DeleteFunc(folders, func(f string) bool { return f == "." || len(o.lines[f]) < 2 && !o.inner(f) })
		if len(folders) == 0 {
			return collapsed
		}
		for _, folder := range folders {
			if o.size <= most {
				break
			}
			files := 0
			for _, l := range o.lines[folder] {
				files += l.files
				o.size -= len(l.text) + 1
			}
			delete(o.lines, folder)
			o.addFolder(folder, files)
			collapsed = true
		}
	}
	return collapsed
}

// addFolder tells a folder in one line of the folder that it is in, together with what is told of it there already: its
// own folders may have become lines of it since.
func (o *overview) addFolder(folder string, files int) {
	in := path.Dir(folder)
	at := slices.IndexFunc(o.lines[in], func(l listed) bool { return l.path == folder+"/" })
	if at >= 0 {
		old := o.lines[in][at]
		files += old.files
		o.size -= len(old.text) + 1
		o.lines[in] = slices.Delete(o.lines[in], at, at+1)
	}
	o.add(in, listed{fmt.Sprintf("%s/ (%s)", folder, count.Of(files, "file")), folder + "/", files})
}

// inner reports whether a folder's only line is another folder's.
func (o *overview) inner(folder string) bool {
	return len(o.lines[folder]) == 1 && strings.HasSuffix(o.lines[folder][0].path, "/")
}

func depth(folder string) int { return strings.Count(folder, "/") }

func (o *overview) String() string {
	var all []listed
	for _, lines := range o.lines {
		all = append(all, lines...)
	}
	slices.SortFunc(all, func(a, b listed) int { return strings.Compare(a.path, b.path) })
	var b strings.Builder
	for _, l := range all {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

func bytesOf(entries []workspace.Entry) (n int64) {
	for _, e := range entries {
		n += e.Size
	}
	return n
}

// cutLines keeps the first lines that fit.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const end = "More files are left out: list a folder with " + ListFilesName + ".\n"
	cut := text[:max(0, most-len(end))]
	return cut[:strings.LastIndexByte(cut, '\n')+1] + end
}
