package session

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// tablesOf returns how searches use endgame tables by the values of options.
func tablesOf(v map[string]int) search.Tables {
	return search.Tables{
		Pieces: v["SyzygyProbeLimit"], Depth: search.Depth(v["SyzygyProbeDepth"]), IgnoreRule50: v["Syzygy50MoveRule"] == 0,
	}
}

// settings are the UCI options that a client sees, with what sets one in the engine; nil for an option of the session.
var settings = map[string]func(*search.Engine, int) error{
	"Hash": (*search.Engine).SetHash, "Threads": (*search.Engine).SetThreads,
	"Clear Hash":    func(e *search.Engine, _ int) error { e.Clear(); return nil },
	"Move Overhead": nil, "SyzygyProbeDepth": nil, "SyzygyProbeLimit": nil, "Syzygy50MoveRule": nil,
}

// options returns the options of sessions in UCI order.
func options() []uci.Option {
	return slices.DeleteFunc(uci.Options(), func(o uci.Option) bool { _, ok := settings[o.Name]; return !ok })
}

// defaultValues returns the values of a new session's own options.
func defaultValues() map[string]int {
	v := map[string]int{}
	for _, o := range options() {
		if settings[o.Name] == nil {
			v[o.Name] = o.Default
		}
	}
	return v
}

// fixed reports whether sessions may not set the option: options of a shared engine, and Threads
// under WebAssembly, which has one thread.
func fixed(o uci.Option, c *Config) bool {
	return settings[o.Name] != nil && c.Shared || o.Name == "Threads" && runtime.GOARCH == "wasm"
}

// valueText formats a value of an option.
func valueText(o uci.Option, n int) string {
	switch o.Type {
	case uci.Check:
		return strconv.FormatBool(n != 0)
	case uci.Spin:
		return strconv.Itoa(n)
	}
	return ""
}

// readValue parses a value of an option.
func readValue(o uci.Option, text string) (int, error) {
	switch o.Type {
	case uci.Check:
		n, ok := map[string]int{"false": 0, "true": 1}[strings.ToLower(text)]
		if !ok {
			return 0, fault("value", "want true or false, have %.40q", text)
		}
		return n, nil
	case uci.Spin:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return 0, fault("value", "want a whole number from %d to %d, have %.40q", o.Min, o.Max, text)
		}
		return int(n), within("value", n, int64(o.Min), int64(o.Max))
	}
	return 0, nil
}

// list returns the options and their values for a session with these own values.
func (e *engines) list(own map[string]int) []jsonOption {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []jsonOption
	for _, o := range options() {
		value := own[o.Name] + e.values[o.Name] // only one of the maps has it
		out = append(out, jsonOption{
			Name: o.Name, Type: string(o.Type), Value: valueText(o, value), Default: valueText(o, o.Default),
			Min: o.Min, Max: o.Max, Doc: o.Doc, Fixed: fixed(o, &e.config),
		})
	}
	return out
}

// optionFields are the fields of option.
type optionFields struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// option answers option: at once for an option of the session, and in the next turn at the engine
// for an option of the engine.
func (e *engines) option(c *call, f *optionFields) (any, error) {
	all := options()
	i := slices.IndexFunc(all, func(o uci.Option) bool { return strings.EqualFold(o.Name, f.Name) })
	if i < 0 {
		return nil, fault("name", "there is no option %.60q", f.Name)
	}
	o := all[i]
	set := settings[o.Name]
	n, err := readValue(o, f.Value)
	switch {
	case err != nil:
		return nil, err
	case set == nil:
		own := maps.Clone(c.options)
		own[o.Name] = n
		e.mu.Lock()
		c.session.options = own
		e.mu.Unlock()
		return &Optioned{Options: e.list(own)}, nil
	case fixed(o, &e.config) && e.config.Shared:
		return nil, fault("name", "%s belongs to the server", o.Name)
	case fixed(o, &e.config):
		return nil, fault("name", "%s cannot be changed here: there is only one thread", o.Name)
	}
	return work(func() (any, error) {
		var failed error
		_, err := e.turn(c.ctx, c.session, func(_ context.Context, engine *search.Engine) { failed = set(engine, n) })
		if err != nil {
			return nil, err
		}
		if failed != nil {
			return nil, fault("value", "%v", failed)
		}
		e.mu.Lock()
		e.values[o.Name] = n
		own := c.session.options // another request may have changed them meanwhile
		e.mu.Unlock()
		return &Optioned{Options: e.list(own)}, nil
	}), nil
}
