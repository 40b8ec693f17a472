// Package dom holds web pages and style sheets as trees, with the exact place
// of everything in the source: what the rules of package validate look at.
//
// A page may be a template of Django or Jinja: its tags are nodes of the tree
// and parts of attributes, and each node knows the branches that it stands in,
// so that a rule can tell "both may be there" from "one or the other" (see
// [Exclusive]). What a template writes is unknown, and everything here says so
// instead of guessing: an element whose attributes a template may add to is
// [Node.Opaque], a value that it writes is [Attr.Dynamic], and a match of a
// selector is [No], [Maybe] or [Yes].
//
// The tree is built as the HTML standard says (implied end tags, raw text,
// foreign elements, no nesting of what does not nest), with one liberty: what
// the source does not write is not there. There is no html, head, body or tbody
// without a start tag, since a fragment is as common as a page, and nothing is
// moved out of tables.
//
// It never does I/O, never fails and never panics: of a broken text there is a
// tree, too.
package dom
