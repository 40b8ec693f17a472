package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// denials judge the arguments of programs that can do lasting damage.
var denials = map[string]func(args []string) *denial{
	"rm": denyRemove, "chmod": denyMode, "chown": denyMode, "chgrp": denyMode,
	"sudo": denyRoot, "su": denyRoot, "doas": denyRoot, "pkexec": denyRoot, "runuser": denyRoot,
	"mkfs": denyDisk, "mke2fs": denyDisk, "mkswap": denyDisk, "fdisk": denyDisk, "sfdisk": denyDisk, "parted": denyDisk, "wipefs": denyDisk, "blkdiscard": denyDisk,
	"dd": denyWriteTo, "shred": denyAny, "truncate": denyAny, "touch": denyAny, "tee": denyAny, "mv": denyAny,
	"cp": denyLast, "install": denyLast, "ln": denyLast, "rsync": denyLast, "sed": denyInPlace,
	"shutdown": denyStop, "reboot": denyStop, "halt": denyStop, "poweroff": denyStop, "init": denyRunlevel, "telinit": denyRunlevel, "systemctl": denySystemctl,
	"kill": denyKill, "find": denyFind, "git": denyGit, "manage": denyDjango, "django-admin": denyDjango, "nc": denyListener, "ncat": denyListener, "netcat": denyListener, "socat": denyListener,
	"crontab": denySchedule,
}

func denyRoot([]string) *denial {
	return &denial{reason: "It asks for administrator rights.", alternative: "Run the command without them. Tools that the sandbox lacks belong in its image."}
}

func denyDisk([]string) *denial {
	return &denial{reason: "It changes a disk, not a file.", alternative: "Work on files inside the workspace."}
}

func denyStop([]string) *denial {
	return &denial{reason: "It stops the machine.", alternative: "End only the processes that the task has started."}
}

func denyRunlevel(args []string) *denial {
	if len(args) > 0 && (args[0] == "0" || args[0] == "6") {
		return denyStop(args)
	}
	return nil
}

func denySystemctl(args []string) *denial {
	for _, stop := range []string{"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"} {
		if slices.Contains(args, stop) {
			return denyStop(args)
		}
	}
	return nil
}

// denyKill denies killing process 1, and -1, which is every process.
func denyKill(args []string) *denial {
	for i, a := range args {
		signal := i > 0 && (args[i-1] == "-s" || args[i-1] == "-n")
		if a == "1" && !signal || a == "-1" && i > 0 {
			return &denial{reason: "It ends every process, or the first one, on which all others depend.", alternative: "Name the process that the task has started."}
		}
	}
	return nil
}

// has reports whether a flag is given, also within a group of one-letter flags.
func has(args []string, letters string, long ...string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if slices.Contains(long, a) || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a[1:], letters) {
			return true
		}
	}
	return false
}

// first returns the first operand that matters.
func first(args []string, matters func(string) bool) (string, bool) {
	for i, a := range args {
		if (!strings.HasPrefix(a, "-") || slices.Contains(args[:i], "--")) && matters(a) {
			return a, true
		}
	}
	return "", false
}

func denyRemove(args []string) *denial {
	const instead = "Name the files or the folder inside the workspace to remove, or use DELETE_FILE."
	if slices.Contains(args, "--no-preserve-root") {
		return &denial{reason: "It removes the whole system.", alternative: instead}
	}
	matters := belongsToMachine
	if has(args, "rR", "--recursive") {
		matters = func(w string) bool { return everything(w) || belongsToMachine(w) }
	}
	repository := func(w string) bool { return path.Base(path.Clean(w)) == ".git" }
	if target, ok := first(args, repository); ok {
		return &denial{reason: fmt.Sprintf("It removes the repository with all its history (%s).", target), alternative: instead}
	}
	if target, ok := first(args, matters); ok {
		return &denial{reason: fmt.Sprintf("It removes %s and everything in it.", target), alternative: instead}
	}
	return nil
}

func denyMode(args []string) *denial {
	target, ok := first(args, func(w string) bool {
		return belongsToMachine(w) || everything(w) && !strings.HasPrefix(w, ".") && !strings.HasPrefix(w, "*")
	})
	if ok {
		return &denial{reason: fmt.Sprintf("It changes the owner or the permissions of %s.", target), alternative: "Change only files inside the workspace."}
	}
	return nil
}

func denyAny(args []string) *denial {
	if target, ok := first(args, belongsToMachine); ok {
		return writesTo(target)
	}
	return nil
}

// denyLast is for programs that read their operands and write to the last one.
func denyLast(args []string) *denial {
	if len(args) > 0 && belongsToMachine(args[len(args)-1]) {
		return writesTo(args[len(args)-1])
	}
	for _, a := range args {
		if target, ok := strings.CutPrefix(a, "--target-directory="); ok && belongsToMachine(target) {
			return writesTo(target)
		}
	}
	return nil
}

func denyInPlace(args []string) *denial {
	if has(args, "i", "--in-place") {
		return denyAny(args)
	}
	return nil
}

func denyWriteTo(args []string) *denial {
	for _, a := range args {
		if target, ok := strings.CutPrefix(a, "of="); ok && belongsToMachine(target) {
			return writesTo(target)
		}
	}
	return nil
}

// denyFind denies deleting everything below a broad folder.
func denyFind(args []string) *denial {
	if !slices.Contains(args, "-delete") {
		return nil
	}
	target, ok := first(args, everything)
	narrowed := slices.ContainsFunc(args, func(a string) bool { return findTests[a] && a != "-mindepth" && a != "-maxdepth" })
	if ok && (!narrowed || target != ".") {
		return &denial{reason: fmt.Sprintf("It deletes everything below %s.", target), alternative: "Name a folder inside the workspace and what to delete in it."}
	}
	return nil
}

// denyGit denies overwriting the history that others have.
func denyGit(args []string) *denial {
	args = gitSubcommand(args)
	if len(args) == 0 || args[0] != "push" {
		return nil
	}
	plus := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "+") })
	if plus || has(args[1:], "f", "--force", "--mirror") {
		return &denial{reason: "It overwrites the history of the remote repository.", alternative: "Push without --force; where your own branch was rebased, ask for git push --force-with-lease."}
	}
	return nil
}

// gitSubcommand skips git's own flags.
func gitSubcommand(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"}, args[0]) {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// djangoDenied are the subcommands of manage.py that never run, with what to do
// instead.
var djangoDenied = map[string]denial{
	"flush":              {reason: "It empties the whole database.", alternative: "Let the tests make their own database, or delete single records in a migration that can be reviewed."},
	"sqlflush":           {reason: "It prints the statements that empty the whole database.", alternative: "Let the tests make their own database."},
	"reset_db":           {reason: "It drops the whole database.", alternative: "Let the tests make their own database."},
	"drop_test_database": {reason: "It drops a database.", alternative: "Run the tests with --noinput, which replaces the test database."},
	"dbshell":            {reason: "It opens the database's own prompt, which runs whatever it reads.", alternative: "Write a test or a migration, which can be reviewed."},
	"runserver":          {reason: "It serves until it is stopped, and nobody can reach a server in the sandbox.", alternative: "Request the page in a test, with django.test.Client."},
	"runserver_plus":     {reason: "It serves until it is stopped, and nobody can reach a server in the sandbox.", alternative: "Request the page in a test, with django.test.Client."},
	"testserver":         {reason: "It serves until it is stopped, and nobody can reach a server in the sandbox.", alternative: "Request the page in a test, with django.test.Client."},
}

func denyDjango(args []string) *denial {
	for i, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if i > 0 && (args[i-1] == "--settings" || args[i-1] == "--pythonpath" || args[i-1] == "-v" || args[i-1] == "--verbosity") {
			continue
		}
		if d, ok := djangoDenied[a]; ok {
			return &d
		}
		return nil
	}
	return nil
}

// denyListener denies giving another machine a shell.
func denyListener(args []string) *denial {
	for _, a := range args {
		name, _, _ := strings.Cut(a, ":")
		if has([]string{a}, "ec", "--exec", "--sh-exec") && !strings.HasPrefix(a, "--c") || strings.EqualFold(name, "exec") || strings.EqualFold(name, "system") {
			return &denial{reason: "It gives another machine a shell on this one.", alternative: "Send data, not a shell, and ask first."}
		}
	}
	return nil
}

func denySchedule(args []string) *denial {
	if len(args) == 1 && args[0] == "-l" {
		return nil
	}
	return &denial{reason: "It schedules commands that run later, unattended.", alternative: "Run the command now, where it can be reviewed."}
}
