package source

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/dave/jennifer/jen"
)

// elements writes each element of an array on a line of its own.
var elements = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// Array declares a variable: an array of the given dimensions and element type
// whose outermost elements are the rows.
func Array(f *jen.File, name, comment string, dims []int, elem jen.Code, rows ...jen.Code) {
	Comment(f, comment)
	v := f.Var().Id(name).Op("=")
	for _, n := range dims {
		v.Index(jen.Lit(n))
	}
	v.Add(elem).Custom(elements, rows...)
}

// Words returns values as rows of hexadecimal numbers with all their digits,
// perLine to a row, below a comment unless it is empty.
func Words[T uint8 | uint16 | uint64](comment string, perLine int, values []T) jen.Code {
	var text, number []byte
	if comment != "" {
		text = append(text, "// "+comment+"\n"...)
	}
	for i, v := range values {
		switch {
		case i == 0:
		case i%perLine == 0:
			text = append(text, ",\n"...)
		default:
			text = append(text, ", "...)
		}
		number, _ = binary.Append(number[:0], binary.BigEndian, v)
		text = hex.AppendEncode(append(text, "0x"...), number)
	}
	return jen.Op(string(text))
}

// Block returns rows as one element of an outer array, in braces, below a
// comment.
func Block(comment string, rows ...jen.Code) jen.Code {
	return jen.Comment(comment).Line().Custom(elements, rows...)
}
