package dom

import (
	"strings"
)

// IsPage reports whether the text is a whole page, and not a fragment or a
// template that others fill or that fills others.
func IsPage(d *Document) bool {
	for _, t := range d.Templates() {
		if t.Name == "extends" {
			return false
		}
	}
	return len(d.Elements("html")) > 0
}

// IsExternal reports whether an address is another site's.
func IsExternal(address string) bool {
	address = strings.ToLower(strings.TrimSpace(address))
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "//")
}
