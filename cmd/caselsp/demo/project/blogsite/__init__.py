"""The site: settings and the entry points of its servers."""
