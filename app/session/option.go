//go:build !tabula_rules

package session

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// tablesOf returns how searches use endgame tables by the values of options.
func tablesOf(v map[string]int) search.Tables {
	return search.Tables{
		Men: v["SyzygyProbeLimit"], Depth: search.Depth(v["SyzygyProbeDepth"]), IgnoreRule50: v["Syzygy50MoveRule"] == 0,
	}
}

// option is a UCI option that sessions have.
type option struct {
	uci.Option
	engine func(e *search.Engine, n int) error // sets it in the engine; nil for an option of the session
}

// options are the options of sessions in UCI order.
var options = sync.OnceValue(func() (known []option) {
	engine := map[string]func(*search.Engine, int) error{
		"Hash": (*search.Engine).SetHash, "Threads": (*search.Engine).SetThreads,
		"Clear Hash":    func(e *search.Engine, _ int) error { e.Clear(); return nil },
		"Move Overhead": nil, "SyzygyProbeDepth": nil, "SyzygyProbeLimit": nil, "Syzygy50MoveRule": nil,
	}
	for _, o := range uci.Options() {
		if set, ok := engine[o.Name]; ok {
			known = append(known, option{o, set})
		}
	}
	return known
})

// defaultValues returns the values of a new session's own options.
func defaultValues() map[string]int {
	v := map[string]int{}
	for _, o := range options() {
		if o.engine == nil {
			v[o.Name] = o.Default
		}
	}
	return v
}

// fixed reports whether sessions may not set the option: options of a shared engine, and Threads
// under WebAssembly, which has one thread.
func (o *option) fixed(c *Config) bool {
	return o.engine != nil && c.Shared || o.Name == "Threads" && runtime.GOARCH == "wasm"
}

// text formats a value of the option.
func (o *option) text(n int) string {
	switch o.Type {
	case uci.Check:
		return strconv.FormatBool(n != 0)
	case uci.Spin:
		return strconv.Itoa(n)
	}
	return ""
}

// read parses a value.
func (o *option) read(text string) (int, error) {
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
			Name: o.Name, Type: string(o.Type), Value: o.text(value), Default: o.text(o.Default), Min: o.Min, Max: o.Max, Doc: o.Doc,
			Fixed: o.fixed(&e.config),
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
	i := slices.IndexFunc(options(), func(o option) bool { return strings.EqualFold(o.Name, f.Name) })
	if i < 0 {
		return nil, fault("name", "there is no option %.60q", f.Name)
	}
	o := options()[i]
	n, err := o.read(f.Value)
	switch {
	case err != nil:
		return nil, err
	case o.engine == nil:
		own := maps.Clone(c.options)
		own[o.Name] = n
		c.session.options = own
		return &Optioned{Options: e.list(own)}, nil
	case o.fixed(&e.config) && e.config.Shared:
		return nil, fault("name", "%s belongs to the server", o.Name)
	case o.fixed(&e.config):
		return nil, fault("name", "%s cannot be changed here: there is only one thread", o.Name)
	}
	return work(func() (any, error) {
		var failed error
		_, err := e.turn(c.ctx, c.session, func(_ context.Context, engine *search.Engine) { failed = o.engine(engine, n) })
		if err != nil {
			return nil, err
		}
		if failed != nil {
			return nil, fault("value", "%v", failed)
		}
		e.mu.Lock()
		e.values[o.Name] = n
		e.mu.Unlock()
		return &Optioned{Options: e.list(c.options)}, nil
	}), nil
}
