package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
)

// work is the part of a request that takes its time, on a goroutine of its own.
type work func(c *call) (result any, wrong *Error)

// handler answers a request at once, or returns the work that will.
type handler func(s *Session, c *call, data []byte) (result any, later work, wrong *Error)

// handlers returns the handler of each word of do.
func handlers() map[string]handler {
	all := map[string]handler{
		"hello":     answer((*Session).hello),
		"position":  answer((*Session).position),
		"make":      answer((*Session).makeMove),
		"pgn":       begin((*Session).readGames),
		"write":     answer((*Session).writeGames),
		"analyse":   begin((*Session).analyse),
		"play":      begin((*Session).play),
		"hint":      begin((*Session).hint),
		"review":    begin((*Session).review),
		"tablebase": answer((*Session).lookUp),
		"explain":   answer((*Session).explain),
		"explore":   begin((*Session).explore),
		"game":      begin((*Session).game),
		"load":      answer((*Session).load),
		"option":    handle((*Session).option),
		"stop":      answer((*Session).stopRequest),
	}
	maps.Copy(all, experiments())
	return all
}

// handle makes a handler of a method that answers at once or returns the work.
func handle[T any](f func(*Session, *call, *T) (any, work, *Error)) handler {
	return func(s *Session, c *call, data []byte) (any, work, *Error) {
		var fields T
		if wrong := readFields(data, &fields); wrong != nil {
			return nil, nil, wrong
		}
		return f(s, c, &fields)
	}
}

// answer makes a handler of a method that answers at once.
func answer[T any](f func(*Session, *T) (any, *Error)) handler {
	return handle(func(s *Session, _ *call, fields *T) (any, work, *Error) {
		result, wrong := f(s, fields)
		return result, nil, wrong
	})
}

// begin makes a handler of a method that checks the request and returns the work.
func begin[T any](f func(*Session, *call, *T) (work, *Error)) handler {
	return handle(func(s *Session, c *call, fields *T) (any, work, *Error) {
		later, wrong := f(s, c, fields)
		return nil, later, wrong
	})
}

// Head is what every request has.
type Head struct {
	ID json.RawMessage `json:"id"`
	Do string          `json:"do"`
}

// nullID is the id of replies to messages whose own cannot be read.
var nullID = json.RawMessage("null")

// readHead reads the id and the word of a message. The id is written anew, so that
// equal ids are equal bytes.
func (s *Session) readHead(data []byte) (id json.RawMessage, do string, wrong *Error) {
	var head map[string]json.RawMessage // exactly these names, which a structure would not ask for
	if wrong := readJSON(data, &head); wrong != nil {
		return nullID, "", wrong
	}
	if head == nil {
		head = map[string]json.RawMessage{}
	}
	if s.word != "" && head["id"] == nil {
		head["id"] = json.RawMessage("0")
	}
	id, err := canonicalID(head["id"])
	if err != nil {
		return nullID, "", fault("id", "%v", err)
	}
	if head["do"] == nil && s.word != "" {
		return id, s.word, nil
	}
	if json.Unmarshal(head["do"], &do) != nil || do == "" {
		return id, "", fault("do", "want the word of a request")
	}
	if s.word != "" && do != s.word {
		return id, "", fault("do", "%.40q, the address has %q", do, s.word)
	}
	return id, do, nil
}

// canonicalID reads an id and returns it as JSON.
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

// readFields reads all of a request into fields, a struct with a [Head] in it.
func readFields(data []byte, fields any) *Error {
	return cmp.Or(checkNames(data, reflect.TypeOf(fields)), readJSON(data, fields))
}

// readJSON reads one JSON object and nothing else.
func readJSON(data []byte, to any) *Error {
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(to)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return faultAt("", max(0, int(syntax.Offset)-1), "no JSON: "+syntax.Error())
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fault(kind.Field, "want %s, have %s", kindOf(kind), kind.Value)
	} else if err != nil {
		return faultAt("", len(data), "no JSON: "+err.Error())
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return faultAt("", len(data)-len(rest), "something follows the object")
	}
	return nil
}

// kindOf says what a field wants.
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

// within refuses a number out of bounds.
func within[T int64 | uint64](field string, n, low, high T) *Error {
	if n < low || n > high {
		return fault(field, "%d, want %d to %d", n, low, high)
	}
	return nil
}

// check refuses limits out of bounds.
func (l *Limits) check() *Error {
	if l.Infinite && !l.none() {
		return fault("limits.infinite", "there is another limit")
	}
	return cmp.Or(
		within("limits.depth", int64(l.Depth), 0, maxDepth),
		within("limits.nodes", l.Nodes, 0, 1<<53),
		within("limits.movetime", l.MoveTime, 0, maxMillis),
	)
}
