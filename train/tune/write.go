package tune

import (
	"bytes"
	"fmt"
	"go/format"
	"reflect"

	"github.com/tabula-chess/tabula/eval"
)

// Source returns the Go source of eval/fitted.go for w.
func Source(w *eval.Weights) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Written by \"go run ./train tune\" from games of the engine itself; not edited by hand.\n\npackage eval\n\n")
	b.WriteString("// fitted are the weights the engine plays with, each middlegame + endgame<<16.\n// Nothing writes them.\nvar fitted = Weights{\n")
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		fmt.Fprintf(&b, "%s: ", v.Type().Field(i).Name)
		writeValue(&b, v.Field(i), true)
		b.WriteString(",\n")
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// writeValue writes a pair or a nested array of pairs. Within the outermost
// array only, types are spelled out.
func writeValue(b *bytes.Buffer, v reflect.Value, outer bool) {
	if v.Kind() != reflect.Array {
		p := eval.Pair(v.Int())
		fmt.Fprintf(b, "%d + %d<<16", p.Middle(), p.End())
		return
	}
	if outer {
		writeType(b, v.Type())
	}
	b.WriteString("{")
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(",")
			if i%4 == 0 {
				b.WriteString("\n")
			}
		}
		writeValue(b, v.Index(i), false)
	}
	b.WriteString("}")
}

// writeType writes the type of a nested array of pairs.
func writeType(b *bytes.Buffer, t reflect.Type) {
	for t.Kind() == reflect.Array {
		fmt.Fprintf(b, "[%d]", t.Len())
		t = t.Elem()
	}
	b.WriteString(t.Name())
}
