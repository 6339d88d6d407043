package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// TestSegments writes memory with gaps of all sizes and reads it back.
func TestSegments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var memory []byte
		for range rng.IntN(6) {
			memory = append(memory, make([]byte, rng.IntN(3*maxGap))...)
			for range 1 + rng.IntN(5) {
				memory = append(memory, byte(1+rng.IntN(255)))
			}
		}
		back, err := readData(&reader{data: writeData(memory)})
		testkit.Succeed(t, err)
		if !bytes.Equal(back, memory) {
			t.Fatalf("wrote %x\nread  %x", memory, back)
		}
	}
	few := writeData([]byte("a\x00\x00b" + strings.Repeat("\x00", maxGap+1) + "c"))
	if want := "\x02\x00A\x00\v\x04a\x00\x00b\x00A\xc5\x00\v\x01c"; string(few) != want {
		t.Errorf("%q, want %q", few, want)
	}
	for _, wrong := range []string{"\x01", "\x01\x01\x01a", "\x01\x00A\x7f\x0b\x01a", "\x01\x00A\x00\x0b\x05a"} {
		if memory, err := readData(&reader{data: []byte(wrong)}); err == nil {
			t.Errorf("%q: %q", wrong, memory)
		}
	}
}

// functions returns memory with a table of two functions, as Go 1.26 writes it.
func functions() (memory []byte, names, pcs, funcs int) {
	const head = 16
	m := make([]byte, head)
	m = append(m, pcMagic...)
	texts, tables := "main.main\x00reflect.methodValueCall\x00main.go\x00", "\x00\x02\x01\x00\x04\x03\x02\x01\x00\x06\x05\x00"
	names = 9 * 8
	pcs = names + len(texts)
	funcs = pcs + len(tables)
	for _, v := range []int{2, 1, 0, names, names + 34, names + 34, pcs, funcs} {
		m = binary.LittleEndian.AppendUint64(m, uint64(v))
	}
	m = append(append(m, texts...), tables...)
	first := 3 * 8
	for _, entry := range []int{0, first, 100, first + 60, 200, 0} {
		m = binary.LittleEndian.AppendUint32(m, uint32(entry))
	}
	for _, name := range []int{0, 10} {
		for _, v := range []int{name * 10, name, 8, 0, 1, 4, 9, 4, 3, 7, 0, 9, 0, 0, 4} {
			m = binary.LittleEndian.AppendUint32(m, uint32(v))
		}
	}
	return m, head + names, head + pcs, head + funcs
}

func none(string) bool { return false }

func TestClearTracebacks(t *testing.T) {
	m, names, pcs, funcs := functions()
	testkit.Succeed(t, clearTracebacks(m, none))
	if got, want := string(m[names:pcs]), strings.Repeat("\x00", 10)+"reflect.methodValueCall"+strings.Repeat("\x00", 9); got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	if got, want := m[pcs:funcs], []byte("\x00\x02\x01\x00\x00\x00\x00\x00\x00\x06\x05\x00"); !bytes.Equal(got, want) {
		t.Errorf("tables by program counter %q, want %q", got, want)
	}
	for i, name := range []uint32{0, 10} {
		var words []uint32
		for at := funcs + 24 + 60*i; at < funcs+84+60*i; at += 4 {
			words = append(words, binary.LittleEndian.Uint32(m[at:]))
		}
		for word, want := range map[int]uint32{0: name * 10, 1: name, 2: 8, 4: 1, 5: 0, 6: 0, 7: 4, 8: 0, 9: 0, 11: 9, 14: 0} {
			if words[word] != want {
				t.Errorf("function %d: word %d is %d, want %d", i, word, words[word], want)
			}
		}
	}
	if err := clearTracebacks(make([]byte, 1000), none); err == nil {
		t.Error("memory without a table is taken")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 { // an error or not, but nothing panics
		m, _, _, _ := functions()
		for range 1 + rng.IntN(4) {
			m[rng.IntN(len(m))] = byte(rng.IntN(256))
		}
		_ = clearTracebacks(m[:len(m)-rng.IntN(20)], none)
	}
}
