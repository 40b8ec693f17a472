package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	setting "caselsp/agent/settings"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
)

// layer is one source of settings, as the client gave it: an object whose members
// are not checked yet. None of them is taken for the user's own: a client may pass on a
// file of the project in each.
type layer struct {
	Origin setting.Origin
	JSON   json.RawMessage
}

// configuration holds the client's settings and asks for them again when they change.
type configuration struct {
	ed *editor

	// apply runs beside the read loop, with every layer of settings that the client
	// gave, weakest first, each time one of them changed. Its error names the
	// settings that are wrong, one a line, and is shown to the user. It may be nil.
	apply func(ctx context.Context, layers []layer) error

	options json.RawMessage // written by initialize alone

	mu      sync.Mutex
	pushed  json.RawMessage // with didChangeConfiguration
	settled chan struct{}   // closed when no update is under way; nil before the first
	wanted  bool            // something changed since the last one began
	told    string          // what the user was last told to be wrong
}

// methods adds the changes of settings to the table.
func (c *configuration) methods() {
	wire.OnNotification(c.ed.Conn, protocol.MethodWorkspaceDidChangeConfiguration, func(p *protocol.DidChangeConfigurationParams) error {
		c.mu.Lock()
		c.pushed = section(bytes.Clone(p.Settings))
		c.mu.Unlock()
		c.update()
		return nil
	})
}

// section returns the member of settings that is the server's, where there is
// one: clients that push send either all their settings or the server's alone.
func section(settings json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(settings, &all) == nil && all[Name] != nil {
		return all[Name]
	}
	return settings
}

// start asks for the settings for the first time, and to be told
// of their changes where the client only tells those who ask.
func (c *configuration) start() {
	if c.ed.client.RegisterSettings {
		c.ed.Go("registering for settings", func(ctx context.Context) error {
			options := protocol.LSPAny(fmt.Sprintf(`{"section":%q}`, Name))
			params := &protocol.RegistrationParams{Registrations: []protocol.Registration{{
				ID: Name + "-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration, RegisterOptions: options,
			}}}
			_, err := wire.Request[protocol.LSPAny](ctx, c.ed.Conn, registerTime, protocol.MethodClientRegisterCapability, params)
			return err
		})
	}
	c.update()
}

// update has the settings gathered and handed on, once at a time:
// answers that overtake each other would leave the older settings in force.
func (c *configuration) update() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted = true
	if c.running() {
		return
	}
	c.settled = make(chan struct{})
	c.ed.Go("reading the settings", func(ctx context.Context) error {
		for c.next() {
			// Behind a barrier of its own, so that the loop ends in one way only.
			err := c.ed.Guard("reading the settings", func() error { c.configure(ctx); return nil })
			if err != nil {
				c.ed.showMessage(protocol.MessageTypeError, err.Error())
			}
		}
		return nil
	})
}

// next reports whether to go round once more.
func (c *configuration) next() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	again := c.wanted
	if c.wanted = false; !again {
		close(c.settled)
	}
	return again
}

// running reports whether an update is under way. c.mu is held.
func (c *configuration) running() bool {
	if c.settled == nil {
		return false
	}
	select {
	case <-c.settled:
		return false
	default:
		return true
	}
}

// wait waits for the settings of which the client has said that they changed: a command
// sent behind that message must not act on those before. It ends at the latest when
// the client has not sent them in time.
func (c *configuration) wait(ctx context.Context) {
	c.mu.Lock()
	settled := c.settled
	c.mu.Unlock()
	if settled == nil {
		return
	}
	select {
	case <-settled:
	case <-ctx.Done():
	}
}

// layers gathers what there is, weakest first.
func (c *configuration) layers(ctx context.Context) []layer {
	c.mu.Lock()
	list := []layer{{setting.Editor, c.options}, {setting.Pushed, c.pushed}}
	c.mu.Unlock()
	if c.ed.client.Configuration {
		name := Name
		params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}
		answer, err := wire.Request[[]protocol.LSPAny](ctx, c.ed.Conn, settingsTime, protocol.MethodWorkspaceConfiguration, params)
		switch {
		case err != nil:
			c.ed.Log.Warn("the editor did not send its settings", "error", err)
		case len(answer) == 1:
			list = append(list, layer{setting.Configuration, bytes.Clone(answer[0])})
		}
	}
	return list
}

// configure hands the layers on and shows the user what is wrong with them, each
// list of mistakes once.
func (c *configuration) configure(ctx context.Context) {
	var given []layer
	var wrong []error
	for _, l := range c.layers(ctx) {
		switch text := bytes.TrimSpace(l.JSON); {
		case len(text) == 0, string(text) == "null":
		case text[0] != '{':
			wrong = append(wrong, fmt.Errorf("%s: the settings of %s must be an object, not %.40s", l.Origin, Name, text))
		default:
			given = append(given, l)
		}
	}
	if c.apply != nil {
		wrong = append(wrong, c.apply(ctx, given))
	}
	told := ""
	if err := errors.Join(wrong...); err != nil {
		told = err.Error()
	}
	c.mu.Lock()
	news := told != c.told
	c.told = told
	c.mu.Unlock()
	if news && told != "" {
		c.ed.showMessage(protocol.MessageTypeWarning, told)
	}
}

// clientSettings are the groups of settings of the clients themselves, which lie in the same section: VS Code's client
// reads trace, our plugins read what tells them how to start the server and how to look.
var clientSettings = []string{"trace", "path", "client", "server", "vscode", "nvim", "emacs"}

// withoutClients returns settings without those that clients read themselves: caselsp does not report them as unknown.
func withoutClients(raw json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return raw
	}
	for name, value := range all {
		group, _, _ := strings.Cut(strings.TrimPrefix(name, Name+"."), ".")
		switch {
		case name == Name:
			all[name] = withoutClients(value)
		case slices.Contains(clientSettings, group):
			delete(all, name)
		}
	}
	kept, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return kept
}
