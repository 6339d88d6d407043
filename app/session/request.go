package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// work is the slow part of a request. It runs on its own goroutine.
type work func(c *call) (result any, wrong *Error)

// handler answers a request at once or returns the work that will answer it.
type handler func(s *Session, c *call, fields fields) (result any, later work, wrong *Error)

// ruleHandlers returns the handlers of the requests that need only the rules of chess, by name.
func ruleHandlers() map[string]handler {
	return map[string]handler{
		"position": answer((*Session).position),
		"make":     answer((*Session).makeMove),
		"pgn":      begin((*Session).readGames),
		"write":    answer((*Session).writeGames),
		"explain":  answer((*Session).explain),
		"stop":     answer((*Session).stopRequest),
	}
}

// labHandlers returns the handlers of the other requests about package lab.
func labHandlers() map[string]handler {
	return map[string]handler{
		"divide": begin((*Session).divide),
		"lookup": answer((*Session).attacks),
		"magic":  answer((*Session).magic),
		"magics": begin((*Session).magics),
		"race":   begin((*Session).race),
	}
}

// handle makes a handler from a method that answers at once or returns the work.
func handle[T any](f func(*Session, *call, *T) (any, work, *Error)) handler {
	return func(s *Session, c *call, given fields) (any, work, *Error) {
		var to T
		if wrong := given.read(&to); wrong != nil {
			return nil, nil, wrong
		}
		return f(s, c, &to)
	}
}

// answer makes a handler from a method that answers at once.
func answer[T any](f func(*Session, *T) (any, *Error)) handler {
	return handle(func(s *Session, _ *call, fields *T) (any, work, *Error) {
		result, wrong := f(s, fields)
		return result, nil, wrong
	})
}

// begin makes a handler from a method that checks the request and returns the work.
func begin[T any](f func(*Session, *call, *T) (work, *Error)) handler {
	return handle(func(s *Session, c *call, fields *T) (any, work, *Error) {
		later, wrong := f(s, c, fields)
		return nil, later, wrong
	})
}

// bare is a request without fields of its own.
type bare struct{}

// request is a decoded message: the common fields and its other fields.
type request struct {
	id     json.RawMessage // in canonical form, so that equal ids are equal bytes
	do     string
	fields fields
}

// fields are the fields of a request by name.
type fields map[string]json.RawMessage

// readRequest reads a message. It returns the id also with an error about another field.
func (s *Session) readRequest(data []byte) (r request, wrong *Error) {
	r.id = json.RawMessage("null")
	if wrong := readJSON("", data, &r.fields); wrong != nil {
		return r, wrong
	}
	id, given := r.fields["id"]
	if !given && s.word != "" {
		id = json.RawMessage("0")
	}
	if id, err := canonicalID(id); err != nil {
		return r, fault("id", "%v", err)
	} else {
		r.id = id
	}
	do, given := r.fields["do"]
	if r.do = s.word; given || r.do == "" {
		if json.Unmarshal(do, &r.do) != nil || r.do == "" {
			return r, fault("do", "the name of the request is missing")
		}
	}
	if s.word != "" && r.do != s.word {
		return r, fault("do", "%.40q, but the address has %q", r.do, s.word)
	}
	if s.service.handlers[r.do] == nil {
		return r, fault("do", "%.40q is not a request; hello lists them", r.do)
	}
	delete(r.fields, "id")
	delete(r.fields, "do")
	return r, nil
}

// read reads the fields into a structure. All its fields must have JSON names.
func (f fields) read(to any) *Error {
	into := reflect.ValueOf(to).Elem()
	for i := range into.NumField() {
		name, _, _ := strings.Cut(into.Type().Field(i).Tag.Get("json"), ",")
		if raw, given := f[name]; given {
			delete(f, name)
			if wrong := readJSON(name, raw, into.Field(i).Addr().Interface()); wrong != nil {
				return wrong
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		return fault(fmt.Sprintf("%.60s", name), "there is no such field")
	}
	return nil
}

// canonicalID reads an id and returns its canonical JSON.
func canonicalID(raw json.RawMessage) (json.RawMessage, error) {
	var text *string
	if json.Unmarshal(raw, &text) == nil && text != nil {
		if len(*text) > maxID {
			return nil, fmt.Errorf("longer than %d bytes", maxID)
		}
		return json.Marshal(*text)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n > 1<<53 || n < -(1<<53) {
		return nil, errors.New("want a string or a whole number")
	}
	return strconv.AppendInt(nil, n, 10), nil
}

// readJSON reads the one JSON value of a field, "" for the message.
func readJSON(field string, data []byte, to any) *Error {
	path := func(below string) string { return strings.Trim(field+"."+below, ".") }
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return faultAt(field, max(0, int(syntax.Offset)-1), "no JSON: "+syntax.Error())
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fault(path(kind.Field), "want %s, have %s", kindOf(kind), kind.Value)
	} else if err != nil {
		if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			name, _ := strconv.Unquote(quoted)
			return fault(path(fmt.Sprintf("%.60s", name)), "there is no such field")
		}
		return faultAt(field, len(data), "no JSON: "+err.Error())
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return faultAt(field, len(data)-len(rest), "something follows the object")
	}
	return nil
}

// kindOf describes the type that a field wants.
func kindOf(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); {
	case kind == "struct" || kind == "map":
		return "an object"
	case kind == "slice" || kind == "array":
		return "a list"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "uint"):
		return "a whole number of at least 0"
	case kind == "bool":
		return "true or false"
	case kind == "ptr":
		return e.Type.Elem().Kind().String()
	default:
		return "a " + kind
	}
}

// within returns an error for a number out of bounds.
func within[T int64 | uint64](field string, n, low, high T) *Error {
	if n < low || n > high {
		return fault(field, "%d, want %d to %d", n, low, high)
	}
	return nil
}
