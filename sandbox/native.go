package sandbox

import "strings"

// NativeOptions says what the native engine shows to commands. The zero value is
// the machine's own programs.
type NativeOptions struct {
	Folders []string // absolute; shown read-only at the same place, their bin folders first in PATH
	Layers  string   // the folder in which layers are kept, made when the first one is; "": none can be kept
}

// Toolset is what commands find of the tools of one profile.
type Toolset struct {
	Profile Profile
	Has     []string
	Lacks   []string
	Advice  string // what to do for what it lacks
}

// lack is a part of the isolation that cannot be had, and what to do about it.
type lack struct{ part, advice string }

// What to do where the native engine cannot run.
const (
	adviceCgroups = "Run caselsp in a control group of its own (`systemd-run --user --scope -p Delegate=yes caselsp ...`), with the controllers memory, pids and cpu delegated to users " +
		"(a file /etc/systemd/system/user@.service.d/delegate.conf with `[Service]` and `Delegate=cpu cpuset io memory pids`)"
	adviceNamespaces = "Allow user namespaces (`sysctl user.max_user_namespaces`, `kernel.unprivileged_userns_clone=1`, `kernel.apparmor_restrict_unprivileged_userns=0`); a container must be started with leave to make them"
	adviceFolders    = "Correct sandbox.folders: it names folders with tools by their full paths, outside of /tmp and of the system's own"
	adviceKernel     = "Use a kernel of version 5.12 or newer with namespaces and seccomp"
	adviceNative     = "Report it together with `caselsp doctor`'s output, or use Docker"
)

// adviceOf returns the advice for a part that the first process could not get.
func adviceOf(part string) string {
	switch part {
	case "a view of the files of its own", "a network of its own", "dropping all capabilities":
		return adviceNamespaces
	case "its control group":
		return adviceCgroups
	case "no_new_privs", "Landlock", "a filter of system calls":
		return adviceKernel
	}
	return adviceNative
}

// lacking makes one error of all that is missing.
func lacking(lacks []lack) *Unavailable {
	var parts, advice []string
	for _, l := range lacks {
		parts = append(parts, l.part)
		if len(advice) == 0 || advice[len(advice)-1] != l.advice {
			advice = append(advice, l.advice)
		}
	}
	return &Unavailable{Engine: "native", Reason: "this machine does not give it " + strings.Join(parts, "; "),
		Advice: strings.Join(advice, ". ") + ". Or use Docker (sandbox.engine)"}
}

// String is the engine's name for users.
func (n *NativeEngine) String() string { return "native" }
