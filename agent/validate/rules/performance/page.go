package performance

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// pageRules are about what pages load, and when.
var pageRules = []validate.Rule{{
	ID: "perf-blocking-script", Title: "Render-blocking script in the head", Severity: validate.Warning, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"render-blocking-resources"}},
	Doc: "The browser shows nothing until the script is loaded and has run. Add `defer`, or `async` if the order does not matter. Modules are deferred by default; scripts " +
		"that must run before the first paint (polyfills, themes) pass.",
	Bad:  "<html><head><title>A</title><script src=\"/app.js\"></script></head><body></body></html>\n",
	Good: "<html><head><title>A</title><script src=\"/app.js\" defer></script></head><body></body></html>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		src, ok := n.Get("src")
		if a := n.Attr("src"); !ok && a == nil || n.Within("head") == nil || n.Within("noscript") != nil || n.May("defer") || n.May("async") || n.May("nomodule") || !dom.IsJavaScript(n) {
			return
		}
		if kind, _ := n.Get("type"); strings.EqualFold(kind, "module") || syntax.ContainsAny(strings.ToLower(src+n.Attr("src").Value), []string{"polyfill", "modernizr", "shiv", "respond", "theme", "color-mode", "darkmode", "dark-mode", "prefers"}) {
			return
		}
		p.Element(n, "The page stays blank until this script has run: add defer, or async.")
	}, "script"),
}, {
	ID: "perf-duplicate-resource", Title: "Script or style sheet loaded twice", Severity: validate.Warning, Category: validate.Performance,
	Doc:  "A script runs twice and binds its handlers twice; a style sheet is applied twice. Exclusive branches of a template pass.",
	Bad:  "<script src=\"/jquery.js\" defer></script>\n<script src=\"/app.js\" defer></script>\n<script src=\"/jquery.js\" defer></script>\n",
	Good: "<script src=\"/jquery.js\" defer></script>\n{% if old %}<script src=\"/a.js\"></script>{% else %}<script src=\"/a.js\"></script>{% endif %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		seen := map[string][]*dom.Node{}
		for _, n := range d.Elements("script", "link") {
			name := "src"
			if n.Is("link") {
				name = "href"
				if rel, _ := n.Get("rel"); !strings.EqualFold(rel, "stylesheet") {
					continue
				}
			}
			a := n.Attr(name)
			if a == nil || a.Value == "" || a.Bound || n.Inert() || n.Within("noscript", "svg") != nil || n.Arm.In("for", "macro") {
				continue
			}
			key := n.Name + " " + a.Value
			if a.Dynamic && !strings.Contains(a.Value, "static") {
				continue
			}
			for _, m := range seen[key] {
				if !dom.Exclusive(m.Arm, n.Arm) && m.Arm == n.Arm {
					p.Offer(n.Start, n.End, &validate.Fix{Title: "Delete the second one", Edits: []validate.Edit{{Start: n.Start, End: n.End}}}, "The page already loads %s above.", syntax.Clip(a.Value))
					break
				}
			}
			seen[key] = append(seen[key], n)
		}
	}),
}, {
	ID: "perf-image-size", Title: "Image without width and height (layout shift)", Severity: validate.Info, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"unsized-images"}, validate.Term: {"CLS"}},
	Doc: "Until the image is loaded the browser does not know its size, and then the text moves. Write `width` and `height`; CSS can still scale it. Images with a class, an " +
		"id or a style may be sized by CSS and pass.",
	Bad:  "<p>Our team:</p><img src=\"/team.jpg\" alt=\"Six people in a garden\">\n",
	Good: "<p>Our team:</p><img src=\"/team.jpg\" alt=\"Six people in a garden\" width=\"800\" height=\"600\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if src, ok := n.Get("src"); !ok || src == "" || strings.HasPrefix(src, "data:") || strings.Contains(src, ".svg") || n.Inert() || n.Within("noscript") != nil {
			return
		}
		if n.May("width") || n.May("height") || n.May("class") || n.May("id") || n.May("style") || n.May("hidden") {
			return
		}
		p.Element(n, "The text moves when this image is loaded: write its width and height.")
	}, "img"),
}, {
	ID: "perf-lazy-priority", Title: "Image with high fetch priority and lazy loading", Severity: validate.Warning, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"lcp-lazy-loaded"}},
	Doc:     "`fetchpriority=\"high\"` is for what users see first; `loading=\"lazy\"` makes the browser wait for the layout. Together they are slower than neither.",
	Bad:     "<img src=\"/hero.jpg\" alt=\"\" width=\"9\" height=\"9\" loading=\"lazy\" fetchpriority=\"high\">\n",
	Good:    "<img src=\"/hero.jpg\" alt=\"\" width=\"9\" height=\"9\" fetchpriority=\"high\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		loading, _ := n.Get("loading")
		if priority, _ := n.Get("fetchpriority"); strings.EqualFold(loading, "lazy") && strings.EqualFold(priority, "high") {
			p.Attribute(n.Attr("loading"), "High priority contradicts lazy loading: remove loading=\"lazy\".")
		}
	}, "img", "iframe"),
}, {
	ID: "perf-lazy-embed", Title: "Embedded video or map without lazy loading", Severity: validate.Info, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"third-party-facades"}},
	Doc:     "An embedded player or map is a megabyte or more, also for users who never scroll to it. Add `loading=\"lazy\"`.",
	Bad:     "<iframe title=\"Talk\" src=\"https://www.youtube.com/embed/x\"></iframe>\n",
	Good:    "<iframe title=\"Talk\" src=\"https://www.youtube.com/embed/x\" loading=\"lazy\"></iframe>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		src := n.Attr("src")
		if src == nil || n.May("loading") || n.Inert() || !syntax.ContainsAny(src.Value, []string{"youtube.com/embed", "youtube-nocookie.com/embed", "player.vimeo.com", "google.com/maps", "maps.google.", "openstreetmap.org/export", "soundcloud.com/player", "open.spotify.com/embed", "codepen.io/"}) {
			return
		}
		p.Offer(n.Start, n.OpenEnd, &validate.Fix{Title: "Add loading=\"lazy\"", Edits: []validate.Edit{{Start: src.End, End: src.End, New: " loading=\"lazy\""}}}, "This loads with the page, even for users who never scroll to it: add loading=\"lazy\".")
	}, "iframe"),
}, {
	ID: "perf-font-request", Title: "Google Fonts without display=swap", Severity: validate.Warning, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"font-display"}},
	Doc:     "Without `display` in the URL, the text stays invisible until the fonts are loaded.",
	Bad:     "<link rel=\"stylesheet\" href=\"https://fonts.googleapis.com/css2?family=Inter\">\n",
	Good:    "<link rel=\"stylesheet\" href=\"https://fonts.googleapis.com/css2?family=Inter&amp;display=swap\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		href, ok := n.Get("href")
		rel, _ := n.Get("rel")
		if !ok || !strings.Contains(href, "//fonts.googleapis.com/css") || strings.Contains(href, "display=") || strings.Contains(strings.ToLower(href), "icon") || !strings.EqualFold(rel, "stylesheet") {
			return
		}
		a := n.Attr("href")
		fix := &validate.Fix{Title: "Add display=swap", Edits: []validate.Edit{{Start: a.ValueEnd, End: a.ValueEnd, New: "&amp;display=swap"}}}
		if !strings.Contains(href, "?") || strings.Contains(href, "#") {
			fix = nil
		}
		p.Offer(n.Start, n.OpenEnd, fix, "Text stays invisible until these fonts are loaded: add display=swap to the URL.")
	}, "link"),
}, {
	ID: "perf-media-preload", Title: "Video or audio preloaded in full", Severity: validate.Info, Category: validate.Performance,
	Doc:  "`preload=\"auto\"` lets the browser load all of it with the page. Write `metadata` or `none`. Media that plays automatically passes.",
	Bad:  "<video src=\"/talk.mp4\" controls preload=\"auto\"></video>\n",
	Good: "<video src=\"/talk.mp4\" controls preload=\"metadata\"></video>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if preload, ok := n.Get("preload"); ok && (preload == "auto" || preload == "") && !n.May("autoplay") {
			p.Attribute(n.Attr("preload"), "All of it is loaded with the page: write preload=\"metadata\".")
		}
	}, "video", "audio"),
}}
