package stack

import "regexp"

// Language is the one whose packages are meant.
type Language string

// The languages whose packages can be installed by their names alone: those of Go stand in go.mod.
const (
	Python Language = "python"
	Node   Language = "node"
)

// distributions are the packages of Python whose modules have other names. "" is for modules that no
// package brings, or of which several packages bring a part.
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
	pythonName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{1,60}$`)
	nodeName   = regexp.MustCompile(`^(?:@[a-z0-9][a-z0-9._-]{0,60}/)?[a-z0-9][a-z0-9._-]{0,60}$`)
)

// offer says which package would bring what is lacking, where that is certain. For a module of Python
// it is the package of the same name, unless another one is known.
func (l *Lack) offer(hint string) {
	switch name := l.Name; hint {
	case hintPython:
		if other, known := distributions[name]; known {
			name = other
		}
		fallthrough
	case hintMeta:
		if pythonName.MatchString(name) {
			l.Of, l.Package = Python, name
		}
	case hintNode:
		if nodeName.MatchString(name) {
			l.Of, l.Package = Node, name
		}
	}
}
