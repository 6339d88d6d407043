package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OptionType says what values an option takes.
type OptionType string

// The types of options. An engine may invent others.
const (
	Check  OptionType = "check"  // true or false
	Spin   OptionType = "spin"   // a whole number from Min to Max
	Combo  OptionType = "combo"  // one of Choices
	Button OptionType = "button" // none: setting it does something
	String OptionType = "string" // any text
)

// Option is something that can be set in an engine, as the engine declares it.
type Option struct {
	Name     string
	Type     OptionType
	Default  string   // "" for the empty string, which engines write "<empty>"
	Min, Max int64    // of a spin; both 0 where the engine names no bounds
	Choices  []string // of a combo
}

// Check returns nil where the option takes a value, which a button ignores.
// Errors: an [*OptionError].
func (o *Option) Check(value string) error {
	if strings.ContainsAny(value, "\r\n") {
		return &OptionError{o.Name, "a value must not have a line end"}
	}
	switch o.Type {
	case Check:
		if value != "true" && value != "false" {
			return &OptionError{o.Name, fmt.Sprintf("%.40q is neither true nor false", value)}
		}
	case Spin:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return &OptionError{o.Name, fmt.Sprintf("%.40q is no whole number", value)}
		}
		if o.Min < o.Max && (n < o.Min || n > o.Max) {
			return &OptionError{o.Name, fmt.Sprintf("%d is not from %d to %d", n, o.Min, o.Max)}
		}
	case Combo:
		if !slices.ContainsFunc(o.Choices, func(c string) bool { return strings.EqualFold(c, value) }) {
			return &OptionError{o.Name, fmt.Sprintf("%.40q is none of %q", value, o.Choices)}
		}
	}
	return nil
}

// predefined are the types of the options whose names UCI defines.
var predefined = map[string]OptionType{
	"Hash": Spin, "NalimovPath": String, "NalimovCache": Spin, "Ponder": Check, "OwnBook": Check, "MultiPV": Spin,
	"UCI_ShowCurrLine": Check, "UCI_ShowRefutations": Check, "UCI_LimitStrength": Check, "UCI_Elo": Spin,
	"UCI_AnalyseMode": Check, "UCI_Opponent": String, "UCI_EngineAbout": String, "UCI_Chess960": Check,
}

// Fault returns what is wrong with the declaration of an option, "" for nothing.
func (o *Option) Fault() string {
	want := predefined[o.Name]
	switch {
	case want != "" && o.Type != want:
		return fmt.Sprintf("type %s, want %s", o.Type, want)
	case o.Type == Spin && o.Min >= o.Max && o.Default != strconv.FormatInt(o.Min, 10):
		return fmt.Sprintf("min %d and max %d are no range for the default %q", o.Min, o.Max, o.Default)
	case o.Type == Button, o.Type == String:
	case o.Type != Spin && o.Type != Check && o.Type != Combo:
		return fmt.Sprintf("type %q is none of UCI", o.Type)
	default:
		if err := (*OptionError)(nil); errors.As(o.Check(o.Default), &err) {
			return "default: " + err.Reason
		}
	}
	return ""
}

// Options returns the options of the engine in its order. The caller may change
// the slice.
func (e *Engine) Options() []Option {
	return slices.Clone(e.options)
}

// Option returns the option of a name, upper and lower case alike.
func (e *Engine) Option(name string) (o Option, ok bool) {
	for _, o := range e.options {
		if strings.EqualFold(o.Name, name) {
			return o, true
		}
	}
	return Option{}, false
}

// Value returns what an option was set to, or its default; "" for one that does
// not exist.
func (e *Engine) Value(name string) string {
	e.mu.Lock()
	value, ok := e.values[strings.ToLower(name)]
	e.mu.Unlock()
	if !ok {
		o, _ := e.Option(name)
		value = o.Default
	}
	return value
}

// SetOption sets an option, whose value is text whatever its type: "true", "16";
// for a button it is not used. It waits until the engine is ready again. Errors:
// an [*OptionError] for an option that does not exist or does not take the value,
// of which the engine is told nothing; those of [Engine.Command].
func (e *Engine) SetOption(ctx context.Context, name, value string) error {
	if !e.busy.TryLock() {
		return ErrBusy
	}
	defer e.busy.Unlock()
	return e.setOption(ctx, name, value)
}

// setOption is SetOption for a caller that has the engine for itself.
func (e *Engine) setOption(ctx context.Context, name, value string) error {
	o, ok := e.Option(name)
	if !ok {
		return &OptionError{name, "the engine has none of that name"}
	}
	if err := o.Check(value); err != nil {
		return err
	}
	command := "setoption name " + o.Name
	if o.Type != Button {
		text := value
		if text == "" {
			text = empty
		}
		command += " value " + text
		e.mu.Lock()
		e.values[strings.ToLower(name)] = value
		e.mu.Unlock()
	}
	return e.exchange(ctx, command+"\nisready", e.timeout, isReadyOK)
}

// empty is how the protocol writes the empty string.
const empty = "<empty>"

// parseOption reads what follows the word option. Names and values may hold
// spaces; the words name, type, default, min, max and var begin the next part.
// ok is false for an option without a name or a type.
func parseOption(text string) (o Option, ok bool) {
	words := strings.Fields(text)
	for i := 0; i < len(words); {
		end := i + 1
		for end < len(words) && !startsPart(words[i], words[end]) {
			end++
		}
		value := strings.Join(words[i+1:end], " ")
		if value == empty {
			value = ""
		}
		switch words[i] {
		case "name":
			o.Name = value
		case "type":
			o.Type = OptionType(value)
		case "default":
			o.Default = value
		case "min":
			o.Min, _ = strconv.ParseInt(value, 10, 64) // no bound where it is none
		case "max":
			o.Max, _ = strconv.ParseInt(value, 10, 64)
		case "var":
			o.Choices = append(o.Choices, value)
		}
		i = end
	}
	return o, o.Name != "" && o.Type != ""
}

// startsPart reports whether a word ends the part that began with another. A
// name runs up to its type, so that it may hold the other words.
func startsPart(part, word string) bool {
	switch word {
	case "type":
		return true
	case "default", "min", "max", "var":
		return part != "name"
	}
	return false
}
