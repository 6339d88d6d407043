package session

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// work is the slow part of a request. It runs on its own goroutine.
type work func() (result any, err error)

// handler answers a request. Its result may be work, which then answers the request.
type handler func(c *call, fields fields) (result any, err error)

// handle makes a handler from a function that takes the fields of its request.
func handle[T any](f func(*call, *T) (any, error)) handler {
	return func(c *call, given fields) (any, error) {
		var to T
		if err := given.read(&to); err != nil {
			return nil, err
		}
		return f(c, &to)
	}
}

// handleAt makes a handler from a function that takes the position of its request and the fields.
func handleAt[T any, P interface {
	*T
	place() *Place
}](f func(*call, *chess.Position, *T) (any, error)) handler {
	return handle(func(c *call, to *T) (any, error) {
		p, warning, err := P(to).place().read()
		if err != nil {
			return nil, err
		}
		if warning != nil {
			c.warning = warning.Error()
		}
		return f(c, p, to)
	})
}

// placeFields are the fields of position, evaluate and tablebase, and among those of other requests.
type placeFields struct {
	Position Place `json:"position"`
}

func (f *placeFields) place() *Place { return &f.Position }

// bare is a request without fields of its own.
type bare struct{}

// fields are the fields of a request by name.
type fields map[string]json.RawMessage

// read reads a message. It sets the id also with an error about another field, in canonical form, so
// that equal ids are equal bytes.
func (c *call) read(message []byte, word string) (h handler, rest fields, err error) {
	c.id = json.RawMessage("null")
	if err := readJSON("", message, &rest); err != nil {
		return nil, nil, err
	}
	id, given := rest["id"]
	if !given && word != "" {
		id = json.RawMessage("0")
	}
	if id, err = canonicalID(id); err != nil {
		return nil, nil, fault("id", "%v", err)
	}
	c.id, c.key = id, string(id)
	name, given := rest["do"]
	do := word
	if given || do == "" {
		if json.Unmarshal(name, &do) != nil || do == "" {
			return nil, nil, fault("do", "the name of the request is missing")
		}
	}
	if word != "" && do != word {
		return nil, nil, fault("do", "%.40q, but the address has %q", do, word)
	}
	if h = c.session.service.handlers[do]; h == nil {
		return nil, nil, fault("do", "%.40q is not a request; hello lists them", do)
	}
	delete(rest, "id")
	delete(rest, "do")
	return h, rest, nil
}

// read reads the fields into a structure. All its fields must have JSON names, but those embedded.
func (f fields) read(to any) error {
	if err := f.readInto(reflect.ValueOf(to).Elem()); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		return fault(fmt.Sprintf("%.60s", name), "there is no such field")
	}
	return nil
}

// readInto takes the fields of a structure from f.
func (f fields) readInto(to reflect.Value) (err error) {
	for i := 0; i < to.NumField() && err == nil; i++ {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		if raw, given := f[name]; name == "" {
			err = f.readInto(to.Field(i))
		} else if given && name != "-" {
			delete(f, name)
			err = readJSON(name, raw, to.Field(i).Addr().Interface())
		}
	}
	return err
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
func readJSON(field string, data []byte, to any) error {
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
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return faultAt(field, len(data), "no JSON: "+err.Error())
		}
		return of(field, err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return faultAt(field, len(data)-len(rest), "something follows the object")
	}
	return nil
}

// kindOf describes the type that a field wants.
func kindOf(e *json.UnmarshalTypeError) string {
	t := e.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch kind := t.Kind().String(); {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "a string"
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
	default:
		return "a " + kind
	}
}

// given returns the value of a field, or the default where it is absent.
func given[T any](field *T, def T) T {
	if field == nil {
		return def
	}
	return *field
}

// within returns an error for a number out of bounds.
func within[T int64 | uint64](field string, n, low, high T) error {
	if n < low || n > high {
		return fault(field, "%d, want %d to %d", n, low, high)
	}
	return nil
}

// fault returns the error of a field.
func fault(field, format string, args ...any) error {
	return &Error{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// faultAt is fault with an offset in the field's text.
func faultAt(field string, at int, reason string) error {
	return &Error{Field: field, Reason: reason, At: &at}
}

// of returns err as the error of a field, unless it names one already; nil for nil.
func of(field string, err error) error {
	if _, ok := errors.AsType[*Error](err); ok || err == nil {
		return err
	}
	return fault(field, "%v", err)
}

// asError returns err as a message.
func asError(err error) *Error {
	if wrong, ok := errors.AsType[*Error](err); ok {
		return wrong
	}
	return &Error{Reason: err.Error()}
}
