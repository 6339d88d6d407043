package session_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/app/session"
)

// TestDocumented holds docs/web.md to name every request and every field of a
// reply.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	b := newBoard(t, session.Config{})
	for _, word := range result[session.Hello](t, b, `{"id":1,"do":"hello"}`).Requests {
		if !strings.Contains(text, "`"+word+"`") {
			t.Errorf("docs/web.md does not say what %s is", word)
		}
	}
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(kind reflect.Type) {
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct || seen[kind] {
			return
		}
		seen[kind] = true
		for i := range kind.NumField() {
			f := kind.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, `"`+name+`"`) {
				t.Errorf("docs/web.md does not name %s of %s", name, kind.Name())
			}
			if f.IsExported() {
				check(f.Type)
			}
		}
	}
	for _, v := range []any{
		session.Reply{}, session.Hello{}, session.Position{}, session.Analysis{}, session.Choice{}, session.Games{}, session.Written{}, session.Reviewed{},
		session.Progress{}, session.Tablebase{}, session.Optioned{}, session.Stopped{}, session.Explored{}, session.Loaded{},
	} {
		check(reflect.TypeOf(v))
	}
}
