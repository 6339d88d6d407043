package session

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// settings are the values of a session's own options.
type settings struct {
	overhead  int // ms
	depth     int // least, of positions to look up in tables
	men       int // most, likewise
	fiftyMove int // 1: wins that the fifty-move rule takes away are draws
}

// tables returns how searches use endgame tables.
func (set settings) tables() search.Tables {
	return search.Tables{Men: set.men, Depth: search.Depth(set.depth), IgnoreRule50: set.fiftyMove == 0}
}

// option is one of the protocol's options that sessions have: their own or the
// engine's.
type option struct {
	uci.Option
	own    func(*settings) *int                // where it is kept; nil where it is the engine's
	engine func(e *search.Engine, n int) error // sets it there
	size   func(b *Service) *atomic.Int32      // where its value there is kept; nil for none
}

// knownOptions returns the options in the order of the protocol.
func knownOptions() []option {
	kinds := map[string]option{
		"Hash":             {engine: (*search.Engine).SetHash, size: func(b *Service) *atomic.Int32 { return &b.hash }},
		"Clear Hash":       {engine: func(e *search.Engine, _ int) error { e.Clear(); return nil }},
		"Threads":          {engine: (*search.Engine).SetThreads, size: func(b *Service) *atomic.Int32 { return &b.threads }},
		"Move Overhead":    {own: func(set *settings) *int { return &set.overhead }},
		"SyzygyProbeDepth": {own: func(set *settings) *int { return &set.depth }},
		"SyzygyProbeLimit": {own: func(set *settings) *int { return &set.men }},
		"Syzygy50MoveRule": {own: func(set *settings) *int { return &set.fiftyMove }},
	}
	var out []option
	for _, o := range uci.Options() {
		if kind, ok := kinds[o.Name]; ok {
			kind.Option = o
			out = append(out, kind)
		}
	}
	return out
}

// defaultSettings returns the settings of a new session.
func defaultSettings() (set settings) {
	for _, o := range knownOptions() {
		if o.own != nil {
			*o.own(&set) = o.Default
		}
	}
	return set
}

// fixed reports whether sessions may not set the option: the engine's where others use
// it too, and threads where the host has one, as WebAssembly does.
func (o *option) fixed(b *Service) bool {
	return o.own == nil && b.config.Shared || o.Name == "Threads" && runtime.GOARCH == "wasm"
}

// text returns a number as the option's text.
func (o *option) text(n int) string {
	switch o.Type {
	case uci.Check:
		return strconv.FormatBool(n != 0)
	case uci.Spin:
		return strconv.Itoa(n)
	}
	return ""
}

// read reads the text of a value.
func (o *option) read(text string) (int, *Error) {
	switch o.Type {
	case uci.Check:
		on, err := strconv.ParseBool(text)
		if err != nil || len(text) < len("true") {
			return 0, fault("value", "want true or false, have %.40q", text)
		}
		if on {
			return 1, nil
		}
		return 0, nil
	case uci.Spin:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return 0, fault("value", "want a whole number from %d to %d, have %.40q", o.Min, o.Max, text)
		}
		return int(n), within("value", n, int64(o.Min), int64(o.Max))
	}
	return 0, nil
}

// list returns the options with their values in a session with these settings.
func (s *Service) list(set settings) []Option {
	var out []Option
	for _, o := range knownOptions() {
		value := 0
		switch {
		case o.own != nil:
			value = *o.own(&set)
		case o.size != nil:
			value = int(o.size(s).Load())
		}
		out = append(out, Option{
			Name: o.Name, Type: string(o.Type), Value: o.text(value), Default: o.text(o.Default), Min: o.Min, Max: o.Max, Doc: o.Doc,
			Fixed: o.fixed(s),
		})
	}
	return out
}

// optionFields are the fields of option.
type optionFields struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// option answers option: at once for the session's own, and for the engine's when it
// has its turn there.
func (s *Session) option(_ *call, f *optionFields) (any, work, *Error) {
	known := knownOptions()
	i := slices.IndexFunc(known, func(o option) bool { return strings.EqualFold(o.Name, f.Name) })
	if i < 0 {
		return nil, nil, fault("name", "there is no option %.60q", f.Name)
	}
	o := known[i]
	n, wrong := o.read(f.Value)
	switch {
	case wrong != nil:
		return nil, nil, wrong
	case o.own != nil:
		*o.own(&s.set) = n
		return &Optioned{Options: s.service.list(s.set)}, nil, nil
	case o.fixed(s.service) && s.service.config.Shared:
		return nil, nil, fault("name", "%s belongs to the server", o.Name)
	case o.fixed(s.service):
		return nil, nil, fault("name", "%s is not to be changed here: there is one thread", o.Name)
	}
	set := s.set
	return nil, func(c *call) (any, *Error) {
		turn, err := s.service.pool.take(c.ctx, &s.client)
		if err != nil {
			return nil, fault("", "%v", err)
		}
		err = o.engine(turn.engine, n)
		if err == nil && o.size != nil {
			o.size(s.service).Store(int32(n))
		}
		turn.give()
		if err != nil {
			return nil, fault("value", "%v", err)
		}
		return &Optioned{Options: s.service.list(set)}, nil
	}, nil
}
