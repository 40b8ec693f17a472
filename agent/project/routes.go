package project

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// frameworks are the packages whose objects answer requests by routes that are added to them, by the
// name under which the routes are shown.
var frameworks = map[string]string{
	"flask": "flask", "quart": "quart", "sanic": "sanic", "fastapi": "fastapi",
	"express": "express", "express-promise-router": "express", "polka": "polka", "restify": "restify",
	"koa": "koa", "koa-router": "koa", "@koa/router": "koa", "fastify": "fastify", "hono": "hono",
}

// server is an object that routes are added to.
type server struct {
	framework string
	prefix    string // its own
	mounts    []mount
}

// mount says where a server hands requests on.
type mount struct {
	on     point
	prefix string
}

// findRoutes lists the routes of applications, blueprints and routers, with the prefixes under which
// they are mounted.
func (p *project) findRoutes(order []*file) {
	servers := map[point]*server{}
	for _, f := range order {
		for _, m := range f.made {
			if framework := p.framework(f, m.Value); framework != "" {
				servers[point{f.path, m.Name}] = &server{framework: framework, prefix: m.Args["url_prefix"] + m.Args["prefix"]}
			}
		}
	}
	for _, f := range order {
		for _, m := range f.marks {
			if m.Kind != syntax.MarkMount {
				continue
			}
			on, to := p.point(f, m.On), p.point(f, m.To)
			if s := servers[to]; s != nil && on != to {
				s.mounts = append(s.mounts, mount{on, m.Value})
			}
		}
	}
	for _, f := range order {
		for _, m := range f.marks {
			if m.Kind == syntax.MarkRoute && m.Args["views"] == "" {
				p.served(f, m, servers)
			}
		}
	}
}

// point is the name in a file that an expression stands for.
func (p *project) point(f *file, name string) point {
	found := p.resolveIn(f, name)
	if found.file == nil {
		return point{}
	}
	return point{found.file.path, found.name}
}

// framework is the one whose object a call makes; "" for another call.
func (p *project) framework(f *file, callee string) string {
	full := p.resolveIn(f, callee).external
	if module, _, ok := strings.Cut(full, "#"); ok {
		return frameworks[module]
	}
	module, _, ok := strings.Cut(full, ".")
	if ok {
		return frameworks[module]
	}
	return ""
}

// served lists a route under each path that it has.
func (p *project) served(f *file, m syntax.Mark, servers map[point]*server) {
	r := Route{Methods: m.Words, View: m.To, Place: Place{f.path, m.Line}}
	at := p.point(f, m.On)
	s := servers[at]
	switch {
	case s != nil:
		r.Framework = s.framework
	case syntax.LanguageOf(f.path) == syntax.Python: // made where that cannot be seen
		for _, module := range f.imports {
			first, _, _ := strings.Cut(module, ".")
			r.Framework = max(r.Framework, frameworks[first])
		}
	case m.Args["parameter"] != "" && len(f.exports) > 0: // handed to the module by who made it
		r.Framework = "express"
	}
	if r.Framework == "" {
		return
	}
	for _, prefix := range prefixes(at, servers, nil) {
		r.Path = glue(prefix, m.Value)
		p.addRoute(r)
	}
}

// prefixes are those under which a server is reached.
func prefixes(at point, servers map[point]*server, within []point) (list []string) {
	s := servers[at]
	if s == nil {
		return []string{""}
	}
	if slices.Contains(within, at) || len(within) > maxChain {
		return nil
	}
	for _, m := range s.mounts {
		inner := m.prefix
		switch {
		case s.framework == "fastapi":
			inner = glue(m.prefix, s.prefix)
		case inner == "":
			inner = s.prefix
		}
		for _, before := range prefixes(m.on, servers, append(slices.Clip(within), at)) {
			if len(list) < maxRoutes {
				list = append(list, glue(before, inner))
			}
		}
	}
	if len(list) == 0 {
		return []string{s.prefix}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// glue puts two parts of a path together.
func glue(a, b string) string {
	switch {
	case b == "":
		return a
	case a == "" || a == "/" && strings.HasPrefix(b, "/"):
		return b
	case b == "/":
		return strings.TrimSuffix(a, "/") + "/"
	}
	return strings.TrimSuffix(a, "/") + "/" + strings.TrimPrefix(b, "/")
}
