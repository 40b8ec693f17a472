package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"caselsp/agent/count"
)

// Value is one value of one setting, as the user confirms it: for a list one entry,
// for an object one member, for the model's server where requests go, with which key, and
// for which models. Both parts are printable ASCII.
type Value struct {
	Setting string
	Text    string
}

// String returns the value as one line for the user.
func (v Value) String() string { return v.Setting + ": " + v.Text }

// ID is a short name for a value. It tells values apart that wait at the same time;
// what is confirmed is the value.
func (v Value) ID() string {
	sum := sha256.Sum256([]byte(v.Setting + "\x00" + v.Text))
	return "s" + hex.EncodeToString(sum[:5])
}

// Pending is a value that an editor has set and that waits for the user.
type Pending struct {
	Value
	From string // the layers that hold it
}

// confirmWith is how a value that waits is confirmed.
const confirmWith = "with the command caselsp.settings or `caselsp trust --settings`"

// AdviseConfirm says what can be done about a value that waits.
const AdviseConfirm = "if it is yours, confirm it " + confirmWith

// shownPending is how many values that wait a message lists: more were not set by hand.
const shownPending = 10

// await reports the values that wait, each once.
func (m *merging) await(list []Pending) {
	for _, p := range list {
		if i := slices.IndexFunc(m.Pending, func(q Pending) bool { return q.Value == p.Value }); i < 0 {
			m.Pending = append(m.Pending, p)
		} else if from := m.Pending[i].From; !strings.Contains(from, p.From) {
			m.Pending[i].From = from + " and " + p.From
		}
	}
	for i, p := range m.Pending {
		if i == shownPending {
			m.Problems = append(m.Problems, Problem{Layer: p.From, Once: "more", Text: fmt.Sprintf("%d more values are not used either; `caselsp trust --settings` lists them", len(m.Pending)-i)})
			break
		}
		m.Problems = append(m.Problems, Problem{Setting: p.Setting, Layer: p.From, Once: p.ID(), Text: p.waits()})
	}
}

// waits says what is not used, and where it stands.
func (p Pending) waits() string {
	if route, ok := strings.CutPrefix(p.Text, routeHead); ok {
		return fmt.Sprintf("the model server %s, set by your editor (%s in %s)", route, p.Setting, p.From)
	}
	return fmt.Sprintf("%s %s, set by your editor (%s)", p.Setting, p.Text, p.From)
}

// Waiting tells of values that wait, as one message. What a short notification cuts off comes last.
func Waiting(list []Problem) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0].String()
	}
	text := fmt.Sprintf("Not used yet: %s from your editor. If they are yours, confirm them %s; a file of the project may have set them.", count.Of(len(list), "setting"), confirmWith)
	for _, p := range list {
		text += "\n" + p.Text
	}
	return text
}

// Route is where the requests of a model go.
type Route struct {
	Server string   // its address
	Keys   []string // the variables that the key is looked up in, in this order; none: no key
}

// routeHead begins the text of a route.
const routeHead = "requests go to "

// text is a route as the user confirms it.
func (r Route) text() string {
	to := routeHead + canonical(r.Server)
	if len(r.Keys) == 0 {
		return to + " without a key"
	}
	return to + " with the key in " + quoted(strings.Join(r.Keys, ", "))
}

// routed are the settings of which the user confirms what they make together, and
// routing all that decide where requests go: what a role sets is confirmed by itself, too.
var (
	routed  = []string{"model.provider", "model.base_url", "model.key_env"}
	routing = append(slices.Clone(routed), "model.roles", "model.name", "model.fallback")
)

// modelName is a setting that names a model of the server.
type modelName struct {
	setting, text string
	get           func(Model) string
}

// modelNames belong to the server's confirmation: some servers pass requests on to whoever runs
// the model.
var modelNames = []modelName{
	{"model.name", "for the model", func(m Model) string { return m.Name }},
	{"model.fallback", "falling back to the model", func(m Model) string { return m.Fallback }},
}

// Routes reports whether a value says where the requests of a model go.
func (v Value) Routes() bool { return strings.HasPrefix(v.Text, routeHead) }

// routes reports whether a setting decides where requests go.
func routes(name string) bool { return slices.Contains(routing, name) }

// routes returns the routes that the user has not confirmed and that no layer but an
// editor's makes: where each role's requests would go, with which key.
func (j Judge) routes(without, with Settings, layers []reading) []Pending {
	var from []string
	for _, r := range layers {
		if r.standing() == editor && slices.ContainsFunc(routing, func(name string) bool { return r.flat[name] != nil }) {
			from = append(from, r.name())
		}
	}
	main := j.route(with.Model.For(""))
	var list []Pending
	add := func(setting, route, before string) {
		v := Value{Setting: setting, Text: route}
		if route != before && (j.Confirmed == nil || !j.Confirmed(v)) {
			list = append(list, Pending{Value: v, From: strings.Join(from, " and ")})
		}
	}
	if v, news := j.server(without.Model, with.Model); news && !j.confirmedServer(v, without.Model, with.Model) {
		list = append(list, Pending{Value: v, From: strings.Join(from, " and ")})
	}
	for _, role := range roleNames {
		if route := j.route(with.Model.For(role)); route != main {
			add("model.roles, "+role, route, j.route(without.Model.For(role)))
		}
	}
	return list
}

// server is what the user confirms of the main model: where its requests go, and the models that
// an editor names there. news reports whether that is anything but what holds without editors.
func (j Judge) server(without, with Model) (v Value, news bool) {
	v = Value{Setting: strings.Join(routed, ", "), Text: j.route(with.For(""))}
	news = v.Text != j.route(without.For(""))
	for _, n := range modelNames {
		if name := n.get(with); name != n.get(without) {
			v.Setting += ", " + n.setting
			v.Text += ", " + n.text + " " + canonical(name)
			news = true
		}
	}
	return v, news
}

// confirmedServer reports whether the user has confirmed a server, as it is or as older versions
// asked: its address, and each model, by itself.
func (j Judge) confirmedServer(v Value, without, with Model) bool {
	switch {
	case j.Confirmed == nil:
		return false
	case j.Confirmed(v):
		return true
	}
	route := Value{Setting: strings.Join(routed, ", "), Text: j.route(with.For(""))}
	if route.Text != j.route(without.For("")) && !j.Confirmed(route) {
		return false
	}
	for _, n := range modelNames {
		if name := n.get(with); name != n.get(without) && !j.Confirmed(Value{Setting: n.setting, Text: canonical(name)}) {
			return false
		}
	}
	return true
}

// route says in words where a model's requests go.
func (j Judge) route(m Model) string {
	if j.Route != nil {
		return j.Route(m).text()
	}
	return Route{Server: m.Provider + " " + m.BaseURL, Keys: []string{m.KeyEnv}}.text()
}

// canonical writes a value in one way only, in printable ASCII: letters of other
// scripts that look like Latin ones do not pass for them.
func canonical(value any) string {
	switch v := value.(type) {
	case time.Duration:
		return short(v)
	case map[string]Model:
		models := make(map[string]any)
		for role, m := range v {
			models[role] = m.own()
		}
		value = models
	case map[string]Price:
		prices := make(map[string]any)
		for name, p := range v {
			prices[name] = map[string]float64{"prompt": p.Prompt, "cached": p.Cached, "completion": p.Completion}
		}
		value = prices
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return quoted(fmt.Sprint(value))
	}
	return quoted(strings.TrimSpace(b.String()))
}

// own returns what is set of a role's model, by the names of the settings.
func (m Model) own() map[string]any {
	set := make(map[string]any)
	for _, e := range perRole {
		if v := reflect.ValueOf(e.get(&Settings{Model: m})); !v.IsZero() {
			value := v.Interface()
			if d, ok := value.(time.Duration); ok {
				value = short(d)
			}
			set[strings.TrimPrefix(e.Name, "model.")] = value
		}
	}
	return set
}

// quoted writes what is not printable ASCII as JSON's escapes.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r <= unicode.MaxASCII && strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
