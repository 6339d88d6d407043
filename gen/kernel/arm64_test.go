package kernel

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestARM64Words takes the words of the arm64 kernels apart: each is the instruction that
// its comment names.
func TestARM64Words(t *testing.T) {
	network, err := NetworkNEON()
	kit.Succeed(t, err)
	counting, err := Neon()
	kit.Succeed(t, err)
	words := regexp.MustCompile(`WORD \$(0x[0-9a-f]+) // (.*)`).FindAllSubmatch(append(network[1], counting[1]...), -1)
	if len(words) < 3000 {
		t.Fatalf("%d words", len(words))
	}
	for _, m := range words {
		code, err := strconv.ParseUint(string(m[1]), 0, 32)
		kit.Succeed(t, err)
		var to, from, and int
		if n, _ := fmt.Sscanf(string(m[2]), "sdot v%d.4s, v%d.16b, v%d.16b", &to, &from, &and); n == 3 {
			// arm64asm does not know it: 0 Q 0 01110 size 0 Rm 100101 Rn Rd, Q 1, size 10.
			if want := 0b0_1_0_01110_10_0<<21 | uint64(and)<<16 | 0b100101<<10 | uint64(from)<<5 | uint64(to); code != want {
				t.Errorf("%s is %#x, want %#x", m[2], code, want)
			}
			continue
		}
		in, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, uint32(code)))
		if got := arm64asm.GNUSyntax(in); err != nil || got != string(m[2]) {
			t.Errorf("%s is the word of %q, error %v", m[2], got, err)
		}
	}
}
