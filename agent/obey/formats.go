package obey

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"golang.org/x/mod/modfile"
)

// inLines is a format of lines in which nothing obeys blank ones, comments and plain ones. A
// line that ends in a backslash goes on in the next.
func inLines(plain func(line string) bool, comment string) func(string) (string, bool) {
	return func(text string) (string, bool) {
		var rest []string
		for _, line := range logicalLines(text) {
			t := strings.TrimSpace(line)
			// In a comment, a backslash may write the end of the line, and */ ends a longer one.
			remark := strings.HasPrefix(t, comment) && !strings.ContainsAny(t, "\n\\") && !strings.Contains(t, "*/") && !strings.Contains(t, "/*")
			if t != "" && !remark && !plain(line) {
				rest = append(rest, strings.TrimRight(line, " \t\r"))
			}
		}
		return strings.Join(rest, "\n"), true
	}
}

// logicalLines joins lines that a backslash continues, with a "\n" where they were cut.
func logicalLines(text string) []string {
	var list []string
	joined, open := "", false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if open {
			line = joined + "\n" + line
		}
		if joined, open = strings.CutSuffix(line, `\`); !open {
			list = append(list, line)
		}
	}
	if open {
		list = append(list, joined+"\n")
	}
	return list
}

var (
	beforeHash = lazyregexp.New(`[ \t]\n[ \t]*--hash|[ \t]*\n[ \t]+--hash`)
	trailing   = lazyregexp.New(`\s#.*$`)
	gem        = lazyregexp.New(`^\s*(gem\s*\(?\s*["'][\w.-]+["'](\s*,\s*["'][\w\s~><=!.-]*["'])*(\s*,\s*(require:\s*false|groups?:\s*(:\w+|\[[:\w\s,]*\])|platforms?:\s*(:\w+|\[[:\w\s,]*\])))*\s*\)?|ruby\s+["'][\w\s~><=.-]*["'])\s*$`)
	gradle     = lazyregexp.New(`^\s*((implementation|api|compileOnly|runtimeOnly|testImplementation|testCompileOnly|testRuntimeOnly|androidTestImplementation|debugImplementation)\s*\(?\s*(platform\s*\()?["'][\w.:+-]+["']\s*\)?\s*\)?|(version|group|description)\s*=?\s*["'][\w .:+-]*["'])\s*$`)
	sbt        = lazyregexp.New(`^\s*((ThisBuild\s*/\s*)?(version|name|scalaVersion|organization|description)\s*:=\s*"[\w .+-]*"|libraryDependencies\s*\+=\s*"[\w.-]+"\s*%{1,3}\s*"[\w.-]+"\s*%\s*"[\w.+-]+"(\s*%\s*(Test|"test"))?)\s*,?\s*$`)
	pubspec    = lazyregexp.New(`^\s*(version|description|homepage|repository|publish_to):\s[^\n]*$|^\s+[a-z_0-9]+:\s*(any|["']?[\^>=<0-9][\w.^>=<+ -]*["']?)\s*$`)
)

// The lines that name packages of a registry by their versions.
func requirementLine(line string) bool {
	if cut := strings.Contains(line, "\n"); cut && strings.Contains(line, "#") {
		return false // a comment ends a line that goes on
	}
	line = trailing.ReplaceAllString(beforeHash.ReplaceAllString(line, " --hash"), "")
	return !strings.Contains(line, "\n") && isRequirement(line)
}
func gemLine(line string) bool     { return gem.MatchString(trailing.ReplaceAllString(line, "")) }
func gradleLine(line string) bool  { return gradle.MatchString(line) }
func sbtLine(line string) bool     { return sbt.MatchString(line) }
func pubspecLine(line string) bool { return pubspec.MatchString(line) }

// inGoMod is the format of go.mod and go.work: versions are free, and what stands for a
// module, runs as a tool or is the go command itself is not.
func inGoMod(text string) (string, bool) {
	var rest strings.Builder
	add := func(f *modfile.FileSyntax) {
		for _, stmt := range f.Stmt {
			switch stmt := stmt.(type) {
			case *modfile.Line:
				addDirective(&rest, stmt.Token)
			case *modfile.LineBlock:
				for _, l := range stmt.Line {
					addDirective(&rest, append(slices.Clone(stmt.Token), l.Token...))
				}
			}
		}
	}
	if f, err := modfile.Parse("go.mod", []byte(text), nil); err == nil {
		add(f.Syntax)
		return rest.String(), true
	}
	f, err := modfile.ParseWork("go.work", []byte(text), nil)
	if err != nil {
		return "", false
	}
	add(f.Syntax)
	return rest.String(), true
}

func addDirective(rest *strings.Builder, tokens []string) {
	if len(tokens) > 0 && !slices.Contains([]string{"go", "require", "exclude", "retract"}, tokens[0]) {
		fmt.Fprintf(rest, "%q\n", tokens)
	}
}

// node is an element of XML.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []node     `xml:",any"`
}

// inXML is a format of elements of which nothing obeys some.
func inXML(free func(where []string, n node) bool) func(string) (string, bool) {
	return func(text string) (string, bool) {
		var root node
		if strings.Contains(text, "<!DOCTYPE") || xml.Unmarshal([]byte(text), &root) != nil {
			return "", false
		}
		var rest strings.Builder
		root.write(&rest, nil, free)
		return rest.String(), true
	}
}

// write writes an element without what is free in it; nothing where that is all.
func (n node) write(b *strings.Builder, where []string, free func([]string, node) bool) {
	where = append(slices.Clone(where), n.XMLName.Local)
	if free(where, n) {
		return
	}
	var inner strings.Builder
	for _, child := range n.Nodes {
		child.write(&inner, where, free)
	}
	if text := strings.TrimSpace(n.Text); len(n.Attrs) > 0 || text != "" || inner.Len() > 0 || len(n.Nodes) == 0 {
		fmt.Fprintf(b, "<%s %q %q>%s</>", n.XMLName.Local, n.Attrs, text, inner.String())
	}
}

// any reports whether an element or one below it is as asked.
func (n node) any(is func(node) bool) bool {
	return is(n) || slices.ContainsFunc(n.Nodes, func(c node) bool { return c.any(is) })
}

var (
	pomParts = []string{"name", "description", "version", "url", "inceptionYear", "organization", "licenses", "developers", "contributors", "issueManagement", "ciManagement", "dependencies", "dependencyManagement"}
	pomValue = lazyregexp.New(`(?i)([.-]|^)(version|encoding)$|^(maven\.compiler\.(source|target|release)|java\.version|project\.(build|reporting)\.\w*encoding)$`)
)

// pomFree says what of a pom.xml no plug-in obeys: who the project is, and what it depends on
// out of the repositories that it has.
func pomFree(where []string, n node) bool {
	local := n.any(func(n node) bool {
		return n.XMLName.Local == "systemPath" || n.XMLName.Local == "scope" && strings.TrimSpace(n.Text) == "system"
	})
	switch {
	case len(where) == 2:
		return slices.Contains(pomParts, where[1]) && !local
	case len(where) == 3 && where[1] == "properties":
		return pomValue.MatchString(where[2]) && plainVersion.MatchString(n.Text)
	}
	return false
}

var (
	csprojValues = []string{"Version", "VersionPrefix", "VersionSuffix", "AssemblyVersion", "FileVersion", "TargetFramework", "TargetFrameworks", "Nullable", "LangVersion", "AssemblyName", "RootNamespace", "Authors", "Company", "Product", "Description", "Copyright", "PackageId", "PackageTags", "PackageLicenseExpression", "ImplicitUsings", "OutputType", "IsPackable", "IsTestProject", "GenerateDocumentationFile", "TreatWarningsAsErrors", "WarningLevel", "NoWarn", "InvariantGlobalization"}
	csprojItems  = []string{"PackageReference", "PackageVersion", "ProjectReference", "Compile", "Content", "None", "EmbeddedResource", "Folder", "Using", "InternalsVisibleTo"}
)

// csprojFree says what of a project of MSBuild runs nothing: values and items of the usual
// names that hold no expression.
func csprojFree(where []string, n node) bool {
	if len(where) != 3 || n.any(func(n node) bool {
		return strings.Contains(n.Text, "$(") || slices.ContainsFunc(n.Attrs, func(a xml.Attr) bool { return strings.Contains(a.Value, "$(") })
	}) {
		return false
	}
	return where[1] == "PropertyGroup" && slices.Contains(csprojValues, where[2]) || where[1] == "ItemGroup" && slices.Contains(csprojItems, where[2])
}
