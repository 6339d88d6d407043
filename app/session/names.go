package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
)

// checkNames holds the names in a JSON text to the fields of a type: each is written as
// there, and given once. encoding/json takes any case, and the last of many. The text is
// JSON; values of another kind than the type's are left to who reads them.
func checkNames(data []byte, t reflect.Type) *Error {
	n := names{json.NewDecoder(bytes.NewReader(data)), map[reflect.Type]map[string]reflect.Type{}}
	return n.value(t, "")
}

// names goes through a JSON text.
type names struct {
	*json.Decoder
	known map[reflect.Type]map[string]reflect.Type // the fields of structures
}

// value checks the next value, which stands at a path in the text.
func (n *names) value(t reflect.Type, at string) *Error {
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
			if wrong := n.value(t, at+"["+strconv.Itoa(i)+"]"); wrong != nil {
				return wrong
			}
		}
		_, _ = n.Token() // the end
	}
	return nil
}

// object checks an object to its end, of which { is read. Where fields is nil all names
// are taken.
func (n *names) object(fields map[string]reflect.Type, at string) *Error {
	given := map[string]bool{}
	for n.More() {
		token, err := n.Token()
		if err != nil {
			return nil
		}
		name, _ := token.(string)
		here := strings.TrimPrefix(fmt.Sprintf("%s.%.60s", at, name), ".")
		field, known := fields[name]
		switch {
		case fields != nil && !known:
			return fault(here, "there is no such field")
		case given[name]:
			return fault(here, "given twice")
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
