package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// checkNames holds the names in a JSON text to the fields of a type: each is written as
// there, and given once. encoding/json takes any case, and the last of many. The text is
// JSON; values of another kind than the type's are left to who reads them.
func checkNames(data []byte, t reflect.Type) *Error {
	n := names{json.NewDecoder(bytes.NewReader(data)), map[reflect.Type]map[string]reflect.Type{}}
	return n.value(t, nil)
}

// names goes through a JSON text.
type names struct {
	*json.Decoder
	known map[reflect.Type]map[string]reflect.Type // the fields of structures
}

// spot is a place in a JSON text: the field of an object or, without a name, an element
// of a list. nil is the whole.
type spot struct {
	in    *spot
	name  string
	index int
}

func (s *spot) String() string {
	switch {
	case s == nil:
		return ""
	case s.name == "":
		return fmt.Sprintf("%s[%d]", s.in, s.index)
	case s.in == nil:
		return fmt.Sprintf("%.60s", s.name)
	}
	return fmt.Sprintf("%s.%.60s", s.in, s.name)
}

// value checks the next value.
func (n *names) value(t reflect.Type, at *spot) *Error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, err := n.Token()
	if err != nil {
		return nil
	}
	switch token {
	case json.Delim('{'):
		return n.object(n.fields(t), at)
	case json.Delim('['):
		if t != nil && t.Kind() == reflect.Slice {
			t = t.Elem()
		} else {
			t = nil
		}
		for i := 0; n.More(); i++ {
			if wrong := n.value(t, &spot{in: at, index: i}); wrong != nil {
				return wrong
			}
		}
		_, _ = n.Token() // the end
	}
	return nil
}

// object checks an object to its end, of which { is read. Where fields is nil all names
// are taken.
func (n *names) object(fields map[string]reflect.Type, at *spot) *Error {
	given := map[string]bool{}
	for n.More() {
		token, err := n.Token()
		if err != nil {
			return nil
		}
		name, _ := token.(string)
		here := &spot{in: at, name: name}
		field, known := fields[name]
		switch {
		case fields != nil && !known:
			return fault(here.String(), "there is no such field")
		case given[name]:
			return fault(here.String(), "given twice")
		}
		given[name] = true
		if wrong := n.value(field, here); wrong != nil {
			return wrong
		}
	}
	_, _ = n.Token() // the end
	return nil
}

// fields returns the names of a structure's fields in JSON with their types, nil for
// another type.
func (n *names) fields(t reflect.Type) map[string]reflect.Type {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	if n.known[t] == nil {
		n.known[t] = map[string]reflect.Type{}
		for f := range t.Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				n.known[t][name] = f.Type
			} else if f.Anonymous {
				maps.Copy(n.known[t], n.fields(f.Type))
			}
		}
	}
	return n.known[t]
}
