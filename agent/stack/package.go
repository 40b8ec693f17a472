package stack

import (
	"fmt"
	"regexp"
	"strings"

	"caselsp/store/lazyregexp"
)

// Language is the one whose packages are meant.
type Language string

// The languages whose packages can be installed by their names alone: those of Go stand in go.mod.
const (
	Python Language = "python"
	Node   Language = "node"
)

// distributions are the packages of Python whose modules have other names, for projects that name no
// package (see [Named]): nothing that is at hand without a network tells them, because a package that is
// installed is not missing. "" is for modules that no package brings, or of which several packages
// bring a part.
var distributions = map[string]string{
	"attr": "attrs", "bs4": "beautifulsoup4", "corsheaders": "django-cors-headers", "Crypto": "pycryptodome", "cv2": "opencv-python-headless",
	"dateutil": "python-dateutil", "distutils": "setuptools", "docx": "python-docx", "dotenv": "python-dotenv", "environ": "django-environ",
	"fitz": "PyMuPDF", "git": "GitPython", "jose": "python-jose", "jwt": "PyJWT", "ldap": "python-ldap", "magic": "python-magic",
	"MySQLdb": "mysqlclient", "OpenSSL": "pyOpenSSL", "PIL": "Pillow", "pkg_resources": "setuptools", "pptx": "python-pptx",
	"psycopg2": "psycopg2-binary", "rest_framework": "djangorestframework", "serial": "pyserial", "skimage": "scikit-image",
	"sklearn": "scikit-learn", "slugify": "python-slugify", "socks": "PySocks", "usb": "pyusb", "yaml": "PyYAML", "zmq": "pyzmq",
	"asynchat": "", "asyncore": "", "cgi": "", "crypt": "", "google": "", "imp": "", "lib2to3": "", "nntplib": "", "pipes": "", "smtpd": "",
	"telnetlib": "", "tkinter": "",
}

// The names of packages as their indexes take them. No other text becomes a part of a command line.
var (
	pythonName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9._-]{1,60}$`)
	nodeName   = lazyregexp.New(`^(?:@[a-z0-9][a-z0-9._-]{0,60}/)?[a-z0-9][a-z0-9._-]{0,60}$`)
)

// offer says which package would bring what is lacking, where that is certain. The name of a module of
// Python tells no package by itself: whoever published one under that name may be somebody else. Then
// Of alone says that a package is missing.
func (l *Lack) offer(hint string, plugin bool) {
	switch other, known := distributions[l.Name]; {
	case hint == hintNode && nodeName.MatchString(l.Name):
		l.Of, l.Package = Node, l.Name // there, an import is a package's name
	case hint == hintPython && known && other != "":
		l.Of, l.Package = Python, other
	case hint == hintMeta || hint == hintPython && plugin:
		if pythonName.MatchString(l.Name) {
			l.Of, l.Package = Python, l.Name
		}
	case hint == hintPython && !known && pythonName.MatchString(l.Name):
		l.Of = Python
	}
}

// PackageName returns the name of a package of Python that a user wrote, in a form that can stand in a
// command line, and whether it is one.
func PackageName(text string) (name string, ok bool) {
	name = strings.TrimSpace(text)
	return name, pythonName.MatchString(name)
}

// affixes are what names of packages have around the name of their module.
var affixes = []string{"%s", "py%s", "python-%s", "%s-python", "py-%s", "%s-py", "django-%s", "flask-%s", "pytest-%s"}

// separators are equal in the names of packages.
var separators = lazyregexp.New(`[-_.]+`)

// manifestsOfPython are the files in which a project names packages, and those in which tools keep which
// packages these need.
var manifestsOfPython = lazyregexp.New(`(^|/)(requirements[\w.-]*\.(txt|in)|pyproject\.toml|setup\.(cfg|py)|Pipfile(\.lock)?|tox\.ini|(poetry|uv|pdm)\.lock)$`)

// Named returns the package that a project's own files name and whose name is that of a module of
// Python, as it stands or with the usual affixes, and where it is named; "" for none.
func Named(files []File, module string) (name, where string) {
	module = separators.ReplaceAllString(module, "-")
	for _, affix := range affixes {
		pattern := regexp.MustCompile(fmt.Sprintf(`(?mi)^[^#\n]*?(?:^|["'\s=,\[])(%s)(?:\[[\w,-]*\])?\s*(?:["',;=<>~!@:]|$)`, strings.ReplaceAll(fmt.Sprintf(affix, module), "-", "[-_.]")))
		for _, f := range files {
			if !manifestsOfPython.MatchString(f.Path) || foreign.MatchString(f.Path) {
				continue
			}
			if at := pattern.FindStringSubmatchIndex(f.Text); at != nil {
				return f.Text[at[2]:at[3]], place(f.Path, 1+strings.Count(f.Text[:at[2]], "\n"))
			}
		}
	}
	return "", ""
}
