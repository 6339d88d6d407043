package polyglot_test

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// The key of a position, as opening books have it.
func ExampleKey() {
	fmt.Printf("%016x\n", polyglot.Key(chess.NewPosition()))
	// Output: 463b96181691fc9c
}
