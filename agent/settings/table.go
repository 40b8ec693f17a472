package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Workspace says what a workspace's own file may do with a setting. From an editor,
// a value that is more than that counts once the user has confirmed it.
type Workspace string

// What a workspace may do. Its file is untrusted input until somebody has read it.
const (
	Never   Workspace = "no"      // only the user sets it
	Tighten Workspace = "tighten" // to a value that guards the user better than the one so far
	Add     Workspace = "add"     // what it lists is added, and nothing taken away
	Free    Workspace = "yes"     // to any value
)

const (
	prefix  = "CASELSP_" // of environment variables
	section = "caselsp"  // the configuration folder, and the object that editors may wrap the settings in
)

// What messages end in.
const (
	advice = "keys never lie in settings: put the key into an environment variable, or into the file .env beside the user's settings.json, and set model.key_env to the variable's name"
)

// Setting documents one setting.
type Setting struct {
	Name      string // such as model.base_url
	Env       string // such as CASELSP_MODEL_BASE_URL
	Allowed   string // completes "must be"
	Default   string // as a user would write it; "" where it is not set
	Workspace Workspace
	Doc       string // one sentence or two
	Type      Type
	Words     []string // where only these are allowed
}

// Type is what a setting's value is, by the names of JSON Schema.
type Type string

// The types. A time is text.
const (
	Text    Type = "string"
	Number  Type = "number"
	Integer Type = "integer"
	Boolean Type = "boolean"
	List    Type = "array" // of texts
	Object  Type = "object"
)

// typeOf returns the type of a value.
func typeOf(value any) Type {
	switch value.(type) {
	case bool:
		return Boolean
	case int:
		return Integer
	case float64, *float64:
		return Number
	case string, time.Duration:
		return Text
	case []string:
		return List
	}
	return Object
}

// entry is a setting and how it is read into and out of [Settings].
type entry struct {
	Setting
	put     func(s *Settings, value any) error // reads a value of a layer
	get     func(s *Settings) any
	set     func(s *Settings, typed any) // what get returns
	loosens func(from, to *Settings) bool
}

// define makes an entry from the place of its value. Guard is nil for [Never]
// and [Free]; otherwise it reports whether the step from one value to another
// guards the user less.
func define[T any](name string, k kind[T], at func(*Settings) *T, who Workspace, guard func(from, to T) bool, doc string) entry {
	e := entry{
		Setting: Setting{
			Name:      name,
			Env:       prefix + strings.ToUpper(strings.ReplaceAll(name, ".", "_")),
			Allowed:   k.allowed,
			Workspace: who,
			Doc:       doc,
			Words:     k.words,
		},
		put: func(s *Settings, value any) error {
			v, err := k.read(value)
			if err == nil {
				*at(s) = v
			}
			return err
		},
		get:     func(s *Settings) any { return *at(s) },
		set:     func(s *Settings, typed any) { *at(s) = typed.(T) },
		loosens: func(from, to *Settings) bool { return guard != nil && guard(*at(from), *at(to)) },
	}
	d := Default()
	e.Default, e.Type = written(e.get(&d)), typeOf(e.get(&d))
	return e
}

// commandList is what lists of commands must be.
const commandList = "a list of commands such as [\"make docs\", \"git push\"]"

// globList is what lists of files must be.
const globList = "a list of patterns as in .gitignore such as [\"Makefile\", \"deploy/**\"]"

// adding defines a list to which every layer adds and from which none takes
// away: so a workspace can tighten it, and only tighten.
func adding(name string, k kind[[]string], at func(*Settings) *[]string, doc string) entry {
	e := define(name, k, at, Add, nil, doc)
	e.put = func(s *Settings, value any) error {
		more, err := k.read(value)
		if err != nil {
			return err
		}
		all := slices.Clone(*at(s))
		for _, v := range more {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
		*at(s) = all
		return nil
	}
	return e
}

// written returns a value as a user would write it.
func written(value any) string {
	switch v := value.(type) {
	case time.Duration:
		return short(v)
	case *float64:
		if v == nil {
			return ""
		}
		return fmt.Sprint(*v)
	case []string:
		return strings.Join(v, ", ")
	case map[string]Price, map[string]Model, map[string]string:
		return ""
	}
	return fmt.Sprint(value)
}

// more guards numbers that must not grow.
func more[T cmp.Ordered](from, to T) bool { return to > from }

// off guards what must not be switched off.
func off(from, to bool) bool { return from && !to }

// moreBudget guards numbers that must not grow, where 0 means no limit.
func moreBudget[T cmp.Ordered](from, to T) bool {
	var none T
	return from != none && (to == none || to > from)
}

// moreWindow guards the window, where 0 counts on at most [CountedOn].
func moreWindow(from, to int) bool { return cmp.Or(to, CountedOn) > cmp.Or(from, CountedOn) }

// hostPattern is what the sandbox takes for a host, beside what it refuses for
// its meaning: a name, or any below one, and perhaps a port.
const hostPattern = `(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?`

// wider guards lists of hosts, which must not get one that was not allowed.
func wider(from, to []string) bool {
	return slices.ContainsFunc(to, func(host string) bool {
		return !slices.ContainsFunc(from, func(allowed string) bool {
			below, any := strings.CutPrefix(allowed, "*")
			return strings.EqualFold(host, allowed) ||
				any && len(host) > len(below) && strings.EqualFold(host[len(host)-len(below):], below)
		})
	})
}

// otherEngine guards the choice of the engine: one that was chosen can only be
// switched off, since neither is looser than the other.
func otherEngine(from, to string) bool { return to != from && to != "none" && from != "auto" }

// earlier guards words that are listed from the loosest to the tightest.
func earlier(words ...string) func(from, to string) bool {
	return func(from, to string) bool { return slices.Index(words, to) < slices.Index(words, from) }
}

// rulesName is the setting whose members are judged by [Judge.Harmless], too.
const rulesName = "validate.rules"

// classes are the names in validate.rules that set the severity of whole classes
// of files (tests, generated and vendored ones): info where they are not set.
var classes = []string{"tests", "generated", "vendored"}

// quieter guards severities. Which rules a workspace may lower is the judge's to
// say: see [Judge.Harmless].
func quieter(from, to map[string]string) bool {
	rank := []string{"off", "info", "warning", "", "critical"} // "" is the rule's own
	for name, level := range to {
		held := from[name]
		if slices.Contains(classes, name) {
			held = cmp.Or(held, "info")
		}
		if slices.Index(rank, level) < slices.Index(rank, held) {
			return true
		}
	}
	return false
}

// Providers are what model.provider may be, beside nothing: the presets, and
// custom for a server that is known by its address alone.
var Providers = []string{"openai", "azure", "gemini", "openrouter", "ollama", "llamacpp", "vllm", "lmstudio", "custom"}

// countLimit bounds the limits of steps, rounds, attempts and rollbacks: a higher one would limit nothing.
const countLimit = 1000

// perRole are the settings of a model that each role can have of its own.
var perRole = []entry{
	define("model.provider", oneOf(Providers...).orEmpty(), func(s *Settings) *string { return &s.Model.Provider }, Never, nil,
		"The preset: the address of the model's server and the environment variable that holds the key. Without it, the preset is chosen by the host of model.base_url; without that, it is openai."),
	define("model.base_url", address(), func(s *Settings) *string { return &s.Model.BaseURL }, Never, nil,
		"The address of an OpenAI-compatible server; replaces that of the preset."),
	define("model.name", text("the name of a model as its server knows it"), func(s *Settings) *string { return &s.Model.Name }, Never, nil,
		"The model that is asked."),
	define("model.key_env", matching("the name of an environment variable such as OPENAI_API_KEY, not the key itself", `[A-Za-z_][A-Za-z0-9_]*`), func(s *Settings) *string { return &s.Model.KeyEnv }, Never, nil,
		"The environment variable that holds the key; replaces that of the preset."),
	define("model.tools", oneOf("auto", "native", "json"), func(s *Settings) *string { return &s.Model.Tools }, Free, nil,
		"How the model chooses actions: by tool calls (native), as one JSON object a reply (json), or as the server turns out to do (auto)."),
	define("model.temperature", optional(number(0, 2, "")), func(s *Settings) **float64 { return &s.Model.Temperature }, Free, nil,
		"The sampling temperature; the server's default if not set."),
	define("model.max_tokens", integer(0, 1_000_000, " (0: the server's default)"), func(s *Settings) *int { return &s.Model.MaxTokens }, Tighten, moreBudget[int],
		"The most tokens of one answer."),
	define("model.context_tokens", orNone(integer(2_000, 10_000_000, ""), "as the server says"), func(s *Settings) *int { return &s.Model.ContextTokens }, Tighten, moreWindow,
		"The model's context window, in tokens: requests are made to fit. With 0, the server is asked; where it does not say, and where it says more, "+strconv.Itoa(CountedOn)+" are counted on."),
	define("model.timeout", duration(time.Second, 2*time.Hour), func(s *Settings) *time.Duration { return &s.Model.Timeout }, Free, nil,
		"The longest silence of the server, before and within an answer. A server that only keeps the connection alive, and sends no part of the answer, has twice this time."),
	define("model.fallback", text("the name of a model as its server knows it"), func(s *Settings) *string { return &s.Model.Fallback }, Never, nil,
		"The model to use instead, at the same server, when the first one keeps failing."),
}

var entries = slices.Concat(perRole, []entry{
	define("model.prices", prices(), func(s *Settings) *map[string]Price { return &s.Model.Prices }, Never, nil,
		"What models cost, for limits.cost. These prices override the built-in ones; a model without a price counts as free."),
	define("model.roles", roles(perRole), func(s *Settings) *map[string]Model { return &s.Model.Roles }, Never, nil,
		"What differs for single roles: any setting of model but prices and roles."),
	define("sandbox.engine", oneOf("auto", "docker", "native", "none"), func(s *Settings) *string { return &s.Sandbox.Engine }, Tighten, otherEngine,
		"Where commands and tests run: in Docker, in a sandbox of Linux kernel features without Docker (native), nowhere (none), or in Docker if it is available and natively otherwise (auto). Never directly on the host."),
	define("sandbox.folders", list(matching("a list of absolute paths such as [\"/home/me/.pyenv/versions/3.12.4\"]", `/[^\x00-\x1f:,]*`)), func(s *Settings) *[]string { return &s.Sandbox.Folders }, Never, nil,
		"Folders with tools outside of /usr that the native engine mounts read-only. Their bin folders come first in PATH."),
	define("sandbox.image", matching("the name of a container image", `[a-z0-9][A-Za-z0-9._/:@-]*`), func(s *Settings) *string { return &s.Sandbox.Image }, Never, nil,
		"The container image; if not set, the one built from the bundled recipe."),
	define("sandbox.cpus", number(0.1, 256, ""), func(s *Settings) *float64 { return &s.Sandbox.CPUs }, Tighten, more[float64],
		"How many processors a command may use."),
	define("sandbox.memory_mb", integer(64, 1<<20, " (MiB)"), func(s *Settings) *int { return &s.Sandbox.MemoryMB }, Tighten, more[int],
		"How much memory a command may use, in MiB."),
	define("sandbox.retry_memory_mb", integer(0, 1<<20, " (MiB)"), func(s *Settings) *int { return &s.Sandbox.RetryMemoryMB }, Tighten, more[int],
		"A command that ran out of memory is run once again with twice as much: up to this size without asking, above it after a question."),
	define("sandbox.disk_mb", integer(1, 1<<20, " (MiB)"), func(s *Settings) *int { return &s.Sandbox.DiskMB }, Tighten, more[int],
		"How much a command may write to the work tree, beyond what is in it, and to /tmp, each, in MiB. These files are kept in memory and count as memory, too."),
	define("sandbox.processes", integer(8, 1<<16, ""), func(s *Settings) *int { return &s.Sandbox.Processes }, Tighten, more[int],
		"How many processes and threads a command may have at once."),
	define("sandbox.user", integer(1, 60_000, ""), func(s *Settings) *int { return &s.Sandbox.User }, Never, nil,
		"The numeric user and group that commands run as; never root."),
	define("sandbox.time", duration(time.Second, 24*time.Hour), func(s *Settings) *time.Duration { return &s.Sandbox.Time }, Tighten, more[time.Duration],
		"How long a command may run."),
	define("sandbox.hosts", list(matching("a list of host names such as [\"pkgs.example\", \"*.example.org\", \"index.example.org:8000\"]", hostPattern)),
		func(s *Settings) *[]string { return &s.Sandbox.Hosts }, Tighten, wider,
		"The only hosts that commands may reach, through a proxy. An entry without a port means ports 80 and 443. No network if not set."),
	define("sandbox.indexes.python", address(), func(s *Settings) *string { return &s.Sandbox.Indexes.Python }, Never, nil,
		"The package index for Python. If not set, PIP_INDEX_URL; without that, the default of pip in the sandbox."),
	define("sandbox.indexes.node", address(), func(s *Settings) *string { return &s.Sandbox.Indexes.Node }, Never, nil,
		"The package registry for Node. If not set, NPM_CONFIG_REGISTRY; without that, the default of npm in the sandbox."),
	define("sandbox.indexes.go", text("one or more addresses as in GOPROXY"), func(s *Settings) *string { return &s.Sandbox.Indexes.Go }, Never, nil,
		"The module proxy for Go. If not set, GOPROXY; without that, the default of Go in the sandbox. Only its addresses are used: `direct` would mean any host."),
	define("limits.steps", integer(1, countLimit, ""), func(s *Settings) *int { return &s.Limits.Steps }, Tighten, more[int],
		"Steps in one round of a feature."),
	define("limits.rounds", integer(1, countLimit, ""), func(s *Settings) *int { return &s.Limits.Rounds }, Tighten, more[int],
		"Rounds of code, test and reflect for one feature."),
	define("limits.attempts", integer(1, countLimit, ""), func(s *Settings) *int { return &s.Limits.Attempts }, Tighten, more[int],
		"Attempts at one feature: the first try and those that a failed verification starts."),
	define("limits.rollbacks", integer(1, countLimit, ""), func(s *Settings) *int { return &s.Limits.Rollbacks }, Tighten, more[int],
		"The number of rollbacks at which a feature ends."),
	define("limits.tokens", integer(0, 1_000_000_000, " (0: no limit)"), func(s *Settings) *int { return &s.Limits.Tokens }, Tighten, moreBudget[int],
		"Tokens that one task may use. They are reserved before each call of the model, and the longest answer is limited to what is left; at the limit the task pauses."),
	define("limits.cost", number(0, 1e6, " (0: no limit)"), func(s *Settings) *float64 { return &s.Limits.Cost }, Tighten, moreBudget[float64],
		"US dollars that one task may cost by model.prices, reserved as limits.tokens are; at the limit the task pauses."),
	define("limits.time", durationOrNone(time.Second, 1000*time.Hour), func(s *Settings) *time.Duration { return &s.Limits.Time }, Tighten, moreBudget[time.Duration],
		"How long one task may work, by the clock, without the time in which a question waits or the task is paused; at the limit it pauses."),
	define("limits.commands", integer(0, 100_000, " (0: no limit)"), func(s *Settings) *int { return &s.Limits.Commands }, Tighten, moreBudget[int],
		"Commands that one task may run, tests included; at the limit it asks whether it may run as many again."),
	define("review.annotations", boolean(), func(s *Settings) *bool { return &s.Review.Annotations }, Free, nil,
		"Whether accepting a result asks for confirmation, in editors that support change annotations."),
	define("review.open", boolean(), func(s *Settings) *bool { return &s.Review.Open }, Free, nil,
		"Whether the review document opens when a task ends."),
	define("review.commit", boolean(), func(s *Settings) *bool { return &s.Review.Commit }, Never, nil,
		"Whether the accepted files, and nothing else, are committed to git when nothing of a result is left to decide."),
	define("editor.follow", boolean(), func(s *Settings) *bool { return &s.Editor.Follow }, Free, nil,
		"Whether each file is shown while CASE edits it, beside the text and without taking the keyboard, in editors that can do that (Neovim, Emacs with eglot, VS Code). What is shown is not your file, which changes only when you accept, but a document that compares it with the staged copy, at the lines edited last. While you type it waits."),
	define("log.level", oneOf("debug", "info", "warning", "error", "critical"), func(s *Settings) *string { return &s.Log.Level }, Free, nil,
		"The least serious level that is logged."),
	define("trust.folders", list(matching("a list of absolute paths such as [\"/home/me/src\"]", `([A-Za-z]:)?[/\\][^\x00-\x1f,]*`)), func(s *Settings) *[]string { return &s.Trust.Folders }, Never, nil,
		"Folders whose files are trusted, with everything below them, in addition to those that you trusted by command."),
	define("approvals.level", oneOf("strict", "default", "all"), func(s *Settings) *string { return &s.Approvals.Level }, Tighten, earlier("all", "default", "strict"),
		"What commands are asked for, while they run on a private copy without network: `strict` all but those that read and known tools that build and test; `default` also not those that edit files of the copy or run what your own files define; `all` only those that can reach something beyond the copy."),
	define("approvals.read_only_commands", oneOf("ask", "allow"), func(s *Settings) *string { return &s.Approvals.ReadOnlyCommands }, Tighten, earlier("allow", "ask"),
		"Whether commands that only read are run without asking."),
	define("approvals.days", integer(1, 365, ""), func(s *Settings) *int { return &s.Approvals.Days }, Tighten, more[int],
		"How many days a standing approval (always allow) lasts. After that the command is asked for again."),
	define("commands.allow", lines(text(commandList)), func(s *Settings) *[]string { return &s.Commands.Allow }, Never, nil,
		"Commands that run without asking: exactly these words. `*` matches one word or, at the end, any number of words, but never a flag, a path outside of the workspace or a secret."),
	adding("commands.ask", lines(text(commandList)), func(s *Settings) *[]string { return &s.Commands.Ask },
		"Commands that are asked for every time, matched by their first words, anywhere in a command line. A layer can only add to the entries of lower layers."),
	adding("commands.deny", lines(text(commandList)), func(s *Settings) *[]string { return &s.Commands.Deny },
		"Commands that never run, matched by their first words, anywhere in a command line. A layer can only add to the entries of lower layers."),
	define("commands.packages", list(text("a list of packages with their versions such as [\"pypi:requests@2.31.0\", \"npm:react@18.2.0\"], or @* for any version")), func(s *Settings) *[]string { return &s.Commands.Packages }, Never, nil,
		"Dependencies that may be added without asking: of pypi, npm, go or cargo."),
	adding("files.ask", list(text(globList)), func(s *Settings) *[]string { return &s.Files.Ask },
		"More files that are accepted only by their name, as those are that programs obey (hooks, editor settings, build scripts ...). A layer can only add to the entries of lower layers."),
	define("files.allow", list(text(globList)), func(s *Settings) *[]string { return &s.Files.Allow }, Never, nil,
		"Files that programs obey and that are accepted with all others nevertheless; files.ask is stronger."),
	define("validate.rules", ruleLevels(), func(s *Settings) *map[string]string { return &s.Validate.Rules }, Tighten, quieter,
		"The severity of a rule or of a whole validator, or off. The names tests, generated and vendored set the highest severity of findings in such files (default: info). A workspace may not switch off or lower rules about security (those with a CWE number), nor these three."),
	define("lint.when", oneOf("edit", "finish", "never"), func(s *Settings) *string { return &s.Lint.When }, Tighten, earlier("edit", "finish", "never"),
		"When pylint, Bandit, ESLint, go vet and gosec check a task's staged files, in the sandbox: after every edit, while the model thinks, and before a feature ends; only before it ends; or never."),
	define("tests.write", oneOf("off", "missing", "always"), func(s *Settings) *string { return &s.Tests.Write }, Free, nil,
		"When the tester writes tests for what a feature changed, where CASE wrote none: never; where less than 80 percent of the changed lines are covered; or always."),
	define("plan.review", boolean(), func(s *Settings) *bool { return &s.Plan.Review }, Tighten, off,
		"Whether a task waits with its plan before the work begins: you go on with it, leave features out, write what is to change, or stop. The flag --yes goes on."),
	define("fixcheck.enabled", boolean(), func(s *Settings) *bool { return &s.Fixcheck.Enabled }, Tighten, off,
		"Whether what a model claims to have fixed is checked, by built-in checks and fix validators, before the tests run again. Without that each claim costs a run of the tests."),
	define("fixcheck.failing_first", duration(0, 24*time.Hour), func(s *Settings) *time.Duration { return &s.Fixcheck.FailingFirst }, Never, nil,
		"Where the tests take at least this long, only those that failed run to check a claimed fix: if one fails as before, the claim goes back to the model without a run of all tests. Where they take less, all run, once."),
	define("fixcheck.tests", boolean(), func(s *Settings) *bool { return &s.Fixcheck.Tests }, Never, nil,
		"Whether the tests that failed run to check a claimed fix: if one fails as before, the claim goes back to the model, which costs no round. Without that, a claim that no validator refuses ends in a run of all tests, and a round."),
	define("fixcheck.write", boolean(), func(s *Settings) *bool { return &s.Fixcheck.Write }, Never, nil,
		"Whether a model is asked, once a task, for a fix validator, where a fix has worked after others that did not and no validator was of help. It costs a call, and what it writes counts only after you approve it."),
	define("memory.model", text("the name of a model for embeddings as its server knows it"), func(s *Settings) *string { return &s.Memory.Model }, Never, nil,
		"The model for embeddings by which past tasks and failures are found, beside the built-in search by words. Without it, nothing of the memory is sent anywhere but to models that work on a task."),
	define("memory.provider", oneOf(Providers...).orEmpty(), func(s *Settings) *string { return &s.Memory.Provider }, Never, nil,
		"The preset of the embeddings server, as model.provider is that of the model's. Without it, chosen by memory.base_url; without both, the server of the other models."),
	define("memory.base_url", address(), func(s *Settings) *string { return &s.Memory.BaseURL }, Never, nil,
		"The address of the embeddings server, up to and with its `/v1`; replaces that of the preset."),
	define("memory.key_env", matching("the name of an environment variable such as OPENAI_API_KEY, not the key itself", `[A-Za-z_][A-Za-z0-9_]*`), func(s *Settings) *string { return &s.Memory.KeyEnv }, Never, nil,
		"The environment variable that holds the key of the embeddings server; replaces that of the preset."),
	define("memory.dimensions", integer(0, 16_384, " (0: the model's own)"), func(s *Settings) *int { return &s.Memory.Dimensions }, Never, nil,
		"The length of a vector, for models that have a choice. Another length, model or server makes the vectors anew, in the background."),
	define("memory.timeout", duration(time.Second, 10*time.Minute), func(s *Settings) *time.Duration { return &s.Memory.Timeout }, Free, nil,
		"The longest silence of the embeddings server. A task waits 10 seconds at most, and then goes on with the built-in search."),
	define("history.days", integer(0, 36_500, " (0: tasks of any age stay)"), func(s *Settings) *int { return &s.History.Days }, Never, nil,
		"Tasks and threads without activity for this many days are pruned when the workspace is opened, with their reports and their undo; memory stays. Those that have not ended, or that wait for a decision of yours, are not. `caselsp history prune --dry-run` shows what would go."),
	define("history.megabytes", integer(0, 1<<20, " (MiB; 0: any size)"), func(s *Settings) *int { return &s.History.Megabytes }, Never, nil,
		"The oldest ended tasks are pruned, in the same way, until the tasks of the workspace take no more than this."),
	define("telemetry.endpoint", address(), func(s *Settings) *string { return &s.Telemetry.Endpoint }, Never, nil,
		"The address of a collector of OpenTelemetry that speaks OTLP over HTTP, such as http://localhost:4318. It gets spans of tasks, requests to models and actions, and counts of tokens and seconds, with names, ids and outcomes; no text of yours, of a model, a file or a command. Not exported if not set. Headers come from OTEL_EXPORTER_OTLP_HEADERS."),
	define("lint.critical", oneOf("low", "medium", "high", "never"), func(s *Settings) *string { return &s.Lint.Critical }, Tighten, earlier("never", "high", "medium", "low"),
		"The severity from which findings of Bandit and gosec are critical; one level below they are warnings. Findings of low confidence count one level lower."),
})

// All returns the documentation of every setting, in the order of the table.
func All() []Setting {
	list := make([]Setting, len(entries))
	for i, e := range entries {
		list[i] = e.Setting
	}
	return list
}

// Docs returns the settings as Markdown, for the README.
func Docs() string {
	var b strings.Builder
	b.WriteString("The environment variable of a setting is its name in capitals, with `_` for `.`, after `CASELSP_`: `CASELSP_MODEL_BASE_URL`.\n\n" +
		"May a workspace set it: *no*, only you; *tighten*, to a value that guards you better than the one so far; *add*, to more entries; *yes*, to any value, in a folder that you trust. " +
		"From an editor, what is more than that counts once you have confirmed the value.\n\n" +
		"| setting | default | must be | may a workspace set it | what it does |\n|---|---|---|---|---|\n")
	for _, s := range All() {
		d := ""
		if s.Default != "" {
			d = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.Name, d, s.Allowed, s.Workspace, s.Doc)
	}
	return b.String()
}
