package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// The functions that bodies of the tests call, besides those from 100 on.
const (
	asked = 1 // answers which way to go
	panics
	oldBody = 99
)

// Instructions of the tests alone.
const (
	opI32Add = 0x6a
	opI32Sub = 0x6b
)

// assembly is a body in the making.
type assembly struct {
	code []byte
	open int // constructs
}

func (a *assembly) put(code ...byte) { a.code = append(a.code, code...) }
func (a *assembly) number(op byte, v int) {
	a.code = binary.AppendUvarint(append(a.code, op), uint64(v))
}
func (a *assembly) begin(op byte) { a.put(op, emptyType); a.open++ }
func (a *assembly) finish()       { a.put(opEnd); a.open-- }

// call calls a function, with eight less for Go's stack pointer; a result other than 0
// leaves the function if unwind says so.
func (a *assembly) call(n int, unwind bool) {
	a.put(opLocalGet, 1, opI32Const, 8, opI32Sub, opLocalTee, 1, opGlobalSet, 0, opI32Const, 0)
	a.number(opCall, n)
	a.put(opGlobalGet, 0, opLocalSet, 1)
	if unwind {
		a.number(opBrIf, a.open-1)
	} else {
		a.put(opDrop)
	}
}

// jump goes to section n, the function's loop being around all but the first construct.
func (a *assembly) jump(n int) {
	a.put(opI32Const, byte(n), opLocalSet, 0)
	a.number(opBr, a.open-2)
}

// randomBody returns a function of the given number of sections, each with a call,
// as Go writes one. Most jumps are short, as in programs.
func randomBody(rng *rand.Rand, sections int) []byte {
	a := &assembly{}
	a.put(0, opGlobalGet, 0, opLocalSet, 1)
	a.begin(opBlock)
	a.begin(opLoop)
	for range sections {
		a.begin(opBlock)
	}
	a.put(opLocalGet, 0, opBrTable)
	a.code = binary.AppendUvarint(a.code, uint64(sections-1))
	for n := range sections {
		a.code = binary.AppendUvarint(a.code, uint64(n))
	}
	near := func(n int) int { return min(max(0, n+rng.IntN(7)-2), sections-1) }
	for n := range sections {
		a.finish()
		a.call(100+n, rng.IntN(2) == 0)
		ask := func() {
			a.put(opI32Const, 0, opCall, asked)
			a.begin(opIf)
		}
		switch rng.IntN(8) {
		case 0, 1:
			a.jump(near(n))
		case 2, 3, 4:
			ask()
			a.jump(near(n))
			a.finish()
		case 5:
			ask()
			a.jump(near(n))
			a.put(opElse)
			a.jump(near(n))
			a.finish()
		case 6: // a check in the middle, then on
			ask()
			a.call(panics, true)
			a.finish()
		case 7:
			a.put(opI32Const, byte(n), opReturn)
		}
	}
	a.finish()
	a.put(opUnreachable)
	a.finish()
	a.put(opI32Const, 1, opEnd)
	return a.code
}

// TestSameEvents runs random functions before and after, from their start and from
// every other section: they call the same functions in the same order.
func TestSameEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 2))
	rebuilt := 0
	for range 800 {
		sections := 1 + rng.IntN(12)
		body := randomBody(rng, sections)
		f, err := parse(body, map[int]bool{panics: true})
		if err != nil {
			t.Fatalf("%x: %v", body, err)
		}
		old := -1
		if f.resumed {
			old = oldBody
		}
		after, err := f.structured(old)
		if errors.Is(err, errIrreducible) {
			continue
		}
		kit.Succeed(t, err)
		rebuilt++
		if bytes.Contains(after, []byte{opLocalGet, 0, opBrTable}) {
			t.Fatalf("%x still has its table", after)
		}
		for start := range sections {
			if start > 0 && !f.resumed {
				break
			}
			answers := make([]int, 200)
			for i := range answers {
				answers[i] = rng.IntN(2) * rng.IntN(2)
			}
			want, got := &machine{t: t, answers: answers}, &machine{t: t, answers: answers, bodies: map[int][]byte{oldBody: f.body}}
			a, errA := want.call(body, start)
			b, errB := got.call(after, start)
			if a != b || fmt.Sprint(errA) != fmt.Sprint(errB) || !slices.Equal(want.events, got.events) {
				t.Fatalf("from section %d:\n%x: %d, %v %v\n%x: %d, %v %v", start, body, a, errA, want.events, after, b, errB, got.events)
			}
		}
	}
	if rebuilt < 200 {
		t.Errorf("only %d of 800 rebuilt", rebuilt)
	}
}

// TestLeft leaves what has another shape.
func TestLeft(t *testing.T) {
	good := randomBody(rand.New(rand.NewPCG(1, 1)), 5)
	for name, body := range map[string][]byte{
		"no table":      {0, opGlobalGet, 0, opLocalSet, 1, opI32Const, 0, opEnd},
		"no prologue":   {0, opI32Const, 0, opEnd},
		"a vector":      {0, opGlobalGet, 0, opLocalSet, 1, 0xfd, 0x0c, opEnd},
		"a second loop": bytes.Replace(good, []byte{opLoop, emptyType}, []byte{opLoop, emptyType, opLoop, emptyType}, 1),
		"cut short":     good[:len(good)-3],
		"empty":         {},
	} {
		if _, err := parse(body, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Sections 1 and 2 lead to each other, and 0 to both.
	a := &assembly{}
	a.put(0, opGlobalGet, 0, opLocalSet, 1)
	a.begin(opBlock)
	a.begin(opLoop)
	for range 3 {
		a.begin(opBlock)
	}
	a.put(opLocalGet, 0, opBrTable, 2, 0, 1, 2)
	a.finish()
	a.put(opI32Const, 0, opCall, asked)
	a.begin(opIf)
	a.jump(2)
	a.finish()
	a.finish()
	a.call(100, true)
	a.finish()
	a.call(101, true)
	a.jump(1)
	a.finish()
	a.put(opUnreachable)
	a.finish()
	a.put(opI32Const, 1, opEnd)
	f, err := parse(a.code, nil)
	kit.Succeed(t, err)
	if _, err := f.structured(-1); !errors.Is(err, errIrreducible) {
		t.Errorf("two entries to a loop: %v", err)
	}
}

// testModule returns a module with one imported function and the given ones.
func testModule(names []string, bodies [][]byte) []byte {
	text := func(s string) string { return string(rune(len(s))) + s }
	list := func(n int, items string) []byte { return append([]byte{byte(n)}, items...) }
	m := &module{imported: 1, code: bodies, types: make([]uint64, len(bodies))}
	m.sections = []section{
		{1, []byte{1, 0x60, 1, 0x7f, 1, 0x7f}},
		{sectionImport, list(1, text("gojs")+text("f")+"\x00\x00")},
		{id: sectionFunction}, {id: sectionCode},
	}
	var items string
	for i, name := range names {
		items += string(rune(i+1)) + text(name)
	}
	functions := string(list(len(names), items))
	m.sections = append(m.sections, section{sectionCustom, []byte(text("name") + "\x01" + text(functions))})
	return m.bytes()
}

// TestModule rebuilds the functions of one package, and adds the old bodies at the end.
func TestModule(t *testing.T) {
	body := func(seed uint64) []byte { return randomBody(rand.New(rand.NewPCG(seed, 3)), 2) }
	names := []string{"host/a-b.one", "host/a-b/c.two", "host/a-bc.three"}
	for i, name := range names {
		names[i] = unusual.ReplaceAllString(name, "_")
	}
	bodies := [][]byte{body(1), body(2), body(3)}
	data := testModule(names, bodies)
	for _, c := range []struct {
		packages string
		want     counts
		changed  string
	}{
		{"host/a-b", counts{1, 1}, "true false false"},
		{"host/a-b/...", counts{2, 2}, "true true false"},
		{"host/a-b host/a-bc", counts{2, 2}, "true false true"},
	} {
		made, n, err := rebuild(data, strings.Fields(c.packages))
		if err != nil || n != c.want {
			t.Errorf("%s: %v, %v, want %v", c.packages, n, err, c.want)
			continue
		}
		m, err := readModule(made)
		kit.Succeed(t, err)
		var changed [3]bool
		old := m.code[3:]
		for i := range changed {
			changed[i] = !bytes.Equal(m.code[i], bodies[i])
			if changed[i] && bytes.Contains(m.code[i], []byte{opLocalGet, 0, opCall}) {
				if f, err := parse(bodies[i], nil); err != nil || !bytes.Equal(old[0], f.body) {
					t.Errorf("%s: function %d has not its old body behind it", c.packages, i)
				}
				old = old[1:]
			}
		}
		if got := strings.Trim(fmt.Sprint(changed), "[]"); got != c.changed || len(old) != 0 || len(m.names) != 0 {
			t.Errorf("%s: changed %s, want %s; %d old bodies and %d names left over", c.packages, got, c.changed, len(old), len(m.names))
		}
	}
	if _, _, err := rebuild(data, []string{"host/none"}); err == nil || !strings.Contains(err.Error(), "host/none") {
		t.Errorf("an unknown package: %v", err)
	}
	for end := range data { // never a panic; a cut between sections leaves no names
		if _, _, err := rebuild(data[:end], []string{"host/a-b"}); err == nil {
			t.Errorf("no error for the first %d of %d bytes", end, len(data))
		}
	}
}

// TestUnchanged leaves a module as it is whose functions have another shape, and says so without failing.
func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "out.wasm")
	other := []byte{0, opI32Const, 0, opEnd}
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{testModule([]string{"host_a.one"}, [][]byte{other}), "none of 1 functions has the shape"},
		{testModule([]string{"host_b.one"}, [][]byte{other}), "it has no function of host/a"},
		{testModule(nil, [][]byte{other}), "it has no names of functions"},
		{[]byte("\x7fELF"), "not a WebAssembly module"},
	} {
		kit.Succeed(t, os.WriteFile(in, tt.data, 0o644))
		var said strings.Builder
		err := newCommand(&said, &said).Run(t.Context(), []string{"reloop", in, out, "host/a"})
		if err != nil || !strings.Contains(said.String(), "is the unchanged "+in) || !strings.Contains(said.String(), tt.want) {
			t.Errorf("%v, %q; want %q", err, said.String(), tt.want)
		}
		if made, err := os.ReadFile(out); err != nil || !bytes.Equal(made, tt.data) {
			t.Errorf("%q became %q, %v", tt.data, made, err)
		}
	}
	if err := newCommand(io.Discard, io.Discard).Run(t.Context(), []string{"reloop", in, out}); err == nil {
		t.Error("no package is no error")
	}
}
