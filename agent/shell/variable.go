package shell

import (
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// A variable in front of a command is certain where it is one of those that change how
// programs speak (variables, in judge.go). Any other may be set where the policy eases that,
// but only for a command that runs code of the workspace anyway: what such a variable could
// make a program load, that code could load as well. Two rules stand before this one. A
// variable that loaders, shells, interpreters, git, pagers, package managers and build tools
// obey is asked for, whatever the command; and so is one whose value leads out of the copy.

// obeyedVariable matches the names of variables that say what programs load, run or reach.
var obeyedVariable = lazyregexp.New(`(?i)^(` +
	`(LD|DYLD|GIT|SSH|BASH|PERL\w*|RUBY|NPM|YARN|PNPM|PIP|UV|POETRY|CONDA|CARGO|RUSTUP|RUSTC|RUSTDOC|MAVEN|GRADLE|MAKE|XDG|HIST|DOCKER|KUBE\w*|AWS|AZURE|GOOGLE|GCLOUD|GH|GITHUB|SUDO|MALLOC|COMPOSER|BUNDLE|GEM|PHP|LUA|JAVA|JDK|_JAVA|LESS|GREP|TAR|GZIP|POSIXLY|NIX|GCC|CMAKE|CTEST|PKG_CONFIG|VIM|EMACS|PROMPT|PS|TERM|LC|LOCALE|RES|SHELL|NODE_(OPTIONS|PATH|REPL|EXTRA|TLS|V8|DEBUG|REDIRECT)|PYTHON(STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|EXECUTABLE|USERBASE|PLATLIBDIR|PYCACHEPREFIX|ASYNCIODEBUG|CASEOK|MALLOC|SAFEPATH|NOUSERSITE))(_?\w*)?` +
	`|GO\w*|R_\w+|PATH|\w*_PATH|CDPATH|MANPATH|CLASSPATH|FPATH|NLSPATH|LOCPATH|HOME|\w+_HOME|ENV|IFS|OPTIND|OPTARG|PWD|OLDPWD|TMP|TEMP|TMPDIR|TEMPDIR|ZDOTDIR|INPUTRC|HOSTALIASES|LOCALDOMAIN` +
	`|CC|CXX|CPP|AR|AS|LD|FC|F77|YACC|LEX|NM|RANLIB|STRIP|\w*FLAGS|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|\w*ASKPASS` +
	`|\w*_(COMMAND|CMD|OPTS|OPTIONS|ARGS|ADDOPTS|CONFIG\w*|EXE|EXEC|EXECUTABLE|BIN|PROGRAM|PLUGINS?|HOOKS?|WRAPPER|LAUNCHER|PRELOAD|PROXY|SHELL|REGISTRY|INDEX\w*|RC|RCFILE|TOKEN|SECRET|KEY|PASSWORD|CREDENTIALS?)|\w*(PRELOAD|PROXY)\w*` +
	`|FUNCNAME|SHELLOPTS|EUID|UID|PPID|REPLY|MAILPATH|MAIL|COPROC|READLINE\w*|COMP_\w*|DIRSTACK|TIMEFORMAT|GLOBIGNORE|EXECIGNORE|FIGNORE|HOST\w*` +
	`)$`)

// plainVariable matches a name that a shell takes for a variable's.
var plainVariable = lazyregexp.New(`^[A-Za-z_]\w*$`)

// counts matches {1..5}.
var counts = lazyregexp.New(`^\{\d{1,4}\.\.\d{1,4}\}$`)

// setVariable judges a variable that the line sets. With env, programs that the line starts
// see it; certain says that it is one of those that change nothing but how they speak.
func (w *walker) setVariable(a *syntax.Assign, env bool) (text, why string, certain bool) {
	if text, why = assignment(a); why == "" || !w.judge.policy.eased() || a.Name == nil || a.Append || a.Index != nil || a.Array != nil || a.Naked {
		if why == "" && !env && w.judge.policy.eased() {
			w.set(a.Name.Value, w.valueKind(a))
		}
		return text, why, true
	}
	name := a.Name.Value
	if value, ok := mildly(a); ok {
		w.set(name, free)
		return name + "=" + quote(value), "", true
	}
	if obeyedVariable.MatchString(name) {
		return "", fmt.Sprintf("It sets the variable %s, which can say what programs load, run or reach.", name), false
	}
	value := word{}
	if a.Value != nil {
		var ok bool
		if value, ok = w.any(a.Value); !ok {
			return "", fmt.Sprintf("It sets the variable %s to what is not known.", name), false
		}
	}
	if !env {
		w.set(name, kindOf(value, w.sure))
		return name + "=" + value.text, "", false
	}
	for one := range strings.SplitSeq(value.text, ":") {
		if why := inside(word{text: strings.ReplaceAll(one, hole, "x"), glob: value.glob}, w.sure); why != "" && !local.MatchString(value.text) {
			return "", fmt.Sprintf("It sets the variable %s to what leads out of the workspace (%s).", name, one), false
		}
	}
	return name + "=" + value.text, "", false
}

// mild are values of such variables that load, start and reach nothing.
var mild = map[string]*lazyregexp.Regexp{
	"RUSTFLAGS": rustFlags, "RUSTDOCFLAGS": rustFlags,
	"NODE_OPTIONS":   lazyregexp.New(`^(--(max-old-space-size=\d+|experimental-vm-modules|no-warnings|trace-warnings|trace-deprecation|unhandled-rejections=\w+|enable-source-maps|stack-trace-limit=\d+|openssl-legacy-provider|no-deprecation) ?)+$`),
	"PYTHONWARNINGS": lazyregexp.New(`^(default|error|ignore|always|once|module)$`),
	"PYTEST_ADDOPTS": lazyregexp.New(`^(-[qvxsl]+|--tb=\w+|--color=\w+|--no-header|-p no:\w+| )+$`),
	"CFLAGS":         cFlagList, "CXXFLAGS": cFlagList, "CPPFLAGS": cFlagList,
	"PAGER": noPager, "GIT_PAGER": noPager, "MANPAGER": noPager, "TERM": lazyregexp.New(`^(dumb|xterm(-256color)?|linux)$`),
	"CARGO_TERM_COLOR": simpleValue, "CARGO_INCREMENTAL": onOff, "CARGO_NET_OFFLINE": onOff, "CARGO_BUILD_JOBS": onOff,
	"GO111MODULE": simpleValue, "GOTOOLCHAIN": lazyregexp.New(`^local$`), "GOPROXY": lazyregexp.New(`^off$`), "GOTRACEBACK": simpleValue, "GOGC": simpleValue, "GORACE": lazyregexp.New(`^(halt_on_error|history_size)=\d$`),
	"ASAN_OPTIONS": sanitizer, "UBSAN_OPTIONS": sanitizer, "TSAN_OPTIONS": sanitizer, "LSAN_OPTIONS": sanitizer,
	"MAKEFLAGS": lazyregexp.New(`^-j\d*$`), "CTEST_OUTPUT_ON_FAILURE": onOff, "CTEST_PARALLEL_LEVEL": onOff, "CMAKE_BUILD_PARALLEL_LEVEL": onOff,
	"PIP_DISABLE_PIP_VERSION_CHECK": onOff, "UV_OFFLINE": onOff, "NPM_CONFIG_LOGLEVEL": simpleValue, "PYTHONASYNCIODEBUG": onOff, "PYTHONNOUSERSITE": onOff, "PYTHONSAFEPATH": onOff,
	"GIT_TERMINAL_PROMPT": onOff, "HOSTNAME": simpleValue,
}

var (
	rustFlags   = lazyregexp.New(`^((-[AWDF] ?[a-z][\w:-]*|-C ?(opt-level|debuginfo|debug-assertions|overflow-checks|panic|target-cpu|codegen-units|instrument-coverage)(=[\w-]+)?|--cfg \w+) ?)+$`)
	cFlagList   = lazyregexp.New(`^((-O[0-3sg]?|-g\d?|-W[a-z][\w+-]*|-std=[\w+]+|-fsanitize=[\w,]+|-fno-[a-z-]+|-D\w+(=\w+)?|-pedantic|--coverage|-fprofile-arcs|-ftest-coverage) ?)+$`)
	noPager     = lazyregexp.New(`^(cat)?$`)
	simpleValue = lazyregexp.New(`^\w+$`)
	onOff       = lazyregexp.New(`^(\d+|true|false|on|off)$`)
	sanitizer   = lazyregexp.New(`^((detect_leaks|halt_on_error|abort_on_error|detect_stack_use_after_return|allocator_may_return_null|print_stacktrace|verbosity|exitcode)=\d+:?)+$`)
)

// mildly returns the value that an assignment gives such a variable, where it is one of these.
func mildly(a *syntax.Assign) (string, bool) {
	values := mild[a.Name.Value]
	if values == nil || a.Value == nil {
		return "", false
	}
	value, ok := literal(a.Value)
	return value.text, ok && value.plain() && values.MatchString(value.text)
}

// local matches addresses that stay in the sandbox: a database in a file or in memory.
var local = lazyregexp.New(`^(sqlite|sqlite3|file|memory)(\+\w+)?:/{0,3}(:memory:|[\w-][\w./-]*)?$`)

func (w *walker) valueKind(a *syntax.Assign) kind {
	if a.Value == nil {
		return member
	}
	value, ok := w.any(a.Value)
	if !ok {
		return free
	}
	return kindOf(value, w.sure)
}

// variables may be set for one command: they change how it speaks, not what it
// runs. Those that name programs, libraries, folders or flags are left out.
var variables = map[string]bool{
	"CI": true, "DEBUG": true, "TZ": true, "LANG": true, "LC_ALL": true, "LC_COLLATE": true, "LC_CTYPE": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true,
	"COLUMNS": true, "LINES": true, "PYTHONDONTWRITEBYTECODE": true, "PYTHONUNBUFFERED": true, "PYTHONHASHSEED": true, "PYTHONUTF8": true, "PYTHONIOENCODING": true,
	"PYTHONDEVMODE": true, "DJANGO_SETTINGS_MODULE": true, "DJANGO_DEBUG": true, "NODE_ENV": true, "BABEL_ENV": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true, "GOMAXPROCS": true,
	"RUST_BACKTRACE": true, "RUST_LOG": true, "LOG_LEVEL": true, "LOGLEVEL": true, "VERBOSE": true, "TESTING": true, "TEST": true, "ENV_NAME": true, "RAILS_ENV": true, "RACK_ENV": true, "APP_ENV": true, "FLASK_ENV": true,
}

var harmlessValue = lazyregexp.New(`^[\w.,@+:-]*$`)

// assignment judges a variable that is set in front of a command.
func assignment(a *syntax.Assign) (text, why string) {
	if a.Name == nil {
		return "", "It sets a variable in a way that is not understood."
	}
	name := a.Name.Value
	if !variables[name] && name != "GOFLAGS" || a.Append || a.Index != nil || a.Array != nil || a.Naked {
		return "", fmt.Sprintf("It sets the variable %s.", name)
	}
	value := word{}
	if a.Value != nil {
		var ok bool
		if value, ok = literal(a.Value); !ok || !value.plain() || !harmlessValue.MatchString(strings.TrimPrefix(value.text, "-mod=")) {
			return "", fmt.Sprintf("It sets the variable %s.", name)
		}
	}
	if name == "GOFLAGS" && !goFlags.MatchString(value.text) {
		return "", fmt.Sprintf("It sets the variable %s.", name)
	}
	return name + "=" + value.text, ""
}

// goFlags are the values of GOFLAGS that name no program.
var goFlags = lazyregexp.New(`^-(mod=(mod|vendor|readonly)|count=1|race|v)$`)

// assigned does the same for env, which has them as words.
func assigned(w word) bool {
	name, value, ok := strings.Cut(w.text, "=")
	return ok && w.plain() && variables[name] && harmlessValue.MatchString(value)
}

// carries reports whether a word of env sets a variable that setVariable eases in front of a command.
func carries(w word, depth int) bool {
	name, value, ok := strings.Cut(w.text, "=")
	if !ok || !w.plain() || w.open != closed || !plainVariable.MatchString(name) || obeyedVariable.MatchString(name) {
		return false
	}
	for one := range strings.SplitSeq(value, ":") {
		if inside(word{text: one}, depth) != "" {
			return local.MatchString(value)
		}
	}
	return true
}
