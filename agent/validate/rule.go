package validate

// Severity is how grave a finding is. The set is closed: the gate of
// FINISH_FEATURE must know each.
type Severity string

// The severities. Only Critical findings that a task introduced block it.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Severities are all there are, the gravest first.
var Severities = []Severity{Critical, Warning, Info}

// Category is the validator that a rule belongs to.
type Category string

// The validators.
const (
	Syntax        Category = "syntax"        // what does not parse
	Markup        Category = "html"          // HTML that browsers take for something else
	Styles        Category = "css"           // declarations that do nothing or do harm
	Scripts       Category = "javascript"    // JavaScript and TypeScript, also inside of pages
	Accessibility Category = "accessibility" // WCAG 2.1 A and AA, as far as source can show
	Performance   Category = "performance"   // what makes pages slow
	Integrity     Category = "integrity"     // names that one file uses and another one defines
	Templates     Category = "templates"     // Django and Jinja
	Safety        Category = "safety"        // code with vulnerabilities
	Secrets       Category = "secrets"       // keys and passwords in source
	Suppression   Category = "suppression"   // the comments that switch rules off
)

// Categories are all validators, in the order of the documentation.
var Categories = []Category{Syntax, Markup, Styles, Scripts, Accessibility, Performance, Integrity, Templates, Safety, Secrets, Suppression}

// Rule is one thing that is checked.
type Rule struct {
	ID        string // lower case and hyphens: img-alt
	Title     string // one line, what is wrong: An image without an alternative text
	Severity  Severity
	Category  Category
	Standards []string // what it stands for: "WCAG 1.1.1", "ACT 23a2a8", "CWE-95"
	Aliases   Aliases  // what other tools call it; their suppression comments and `--explain` use these names
	Doc       string   // Markdown: why it matters, what to do, what it deliberately lets pass
	Bad, Good string   // what breaks it and what keeps it: a text, or several as a txtar archive (-- name --)
	File      string   // the name of Bad and Good where they are no archive; page.html where empty

	// Check reports what the rule objects to. It may be called at the same time for
	// several files.
	Check func(*Pass)

	// Full lists the origins of files in which findings keep the rule's severity,
	// beside [Own].
	Full []Origin

	// Keeps lists what Check reads of its file before it asks about other files. The
	// file's tree is dropped when other files were read since; these readings are
	// kept, so that Check can run again without it when the other files change.
	Keeps []Kept
}
