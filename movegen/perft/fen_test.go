package perft

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// parseFEN reads a valid FEN, X-FEN or Shredder-FEN; the package that checks
// FENs stands above this one.
func parseFEN(fen string) (Frame, Geometry, error) {
	fields := strings.Fields(fen)
	if len(fields) < 4 {
		return Frame{}, Geometry{}, fmt.Errorf("%q: too few fields", fen)
	}
	var f Frame
	sets := map[rune][]*uint64{
		'P': {&f.P}, 'N': {&f.N}, 'B': {&f.D}, 'R': {&f.H}, 'Q': {&f.D, &f.H}, 'K': {&f.K},
		'p': {&f.TP}, 'n': {&f.TN}, 'b': {&f.TD}, 'r': {&f.TH}, 'q': {&f.TD, &f.TH}, 'k': {&f.TK},
	}
	sq := 56
	for _, c := range fields[0] {
		switch {
		case c == '/':
			sq -= 16
		case c >= '1' && c <= '8':
			sq += int(c - '0')
		default:
			for _, set := range sets[c] {
				*set |= 1 << sq
			}
			sq++
		}
	}
	g := standardGeometry()
	black := f.Flip()
	white := f
	for _, c := range fields[2] {
		if c == '-' {
			continue
		}
		side, wings := &white, &g.Us
		if c >= 'a' {
			side, wings = &black, &g.Them
		}
		king := int(square(side.K))
		file := int(c|0x20) - 'a'
		switch c | 0x20 {
		case 'k':
			for file = 7; side.H&^side.D>>file&1 == 0; file-- {
			}
		case 'q':
			for file = 0; side.H&^side.D>>file&1 == 0; file++ {
			}
		}
		wing := 0
		if file < king {
			wing = 1
		}
		wings[wing] = NewWing(king, file)
		bit := uint64(1) << file
		if c >= 'a' {
			bit = flip(bit)
		}
		f.Castle |= bit
	}
	if fields[1] == "b" {
		f, g = f.Flip(), g.Flip()
	}
	if fields[3] != "-" {
		file := int(fields[3][0] - 'a')
		if target := uint64(1) << (40 + file); pawnSources(target)&f.P != 0 {
			f.EnPassant = target
		}
	}
	return f, g, f.Check()
}

func mustParse(t testing.TB, fen string) (Frame, Geometry) {
	t.Helper()
	f, g, err := parseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return f, g
}

// fen writes a frame as if White were to move, castling in Shredder-FEN.
func (f *Frame) fen() string {
	var sb strings.Builder
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		for file := range 8 {
			bit := uint64(1) << (rank*8 + file)
			c := byte('.')
			for _, p := range []struct {
				set uint64
				c   byte
			}{
				{f.P, 'P'}, {f.N, 'N'}, {f.D & f.H, 'Q'}, {f.D &^ f.H, 'B'}, {f.H &^ f.D, 'R'}, {f.K, 'K'},
				{f.TP, 'p'}, {f.TN, 'n'}, {f.TD & f.TH, 'q'}, {f.TD &^ f.TH, 'b'}, {f.TH &^ f.TD, 'r'}, {f.TK, 'k'},
			} {
				if p.set&bit != 0 {
					c = p.c
				}
			}
			if c == '.' {
				empty++
				continue
			}
			if empty > 0 {
				sb.WriteByte('0' + byte(empty))
				empty = 0
			}
			sb.WriteByte(c)
		}
		if empty > 0 {
			sb.WriteByte('0' + byte(empty))
		}
		if rank > 0 {
			sb.WriteByte('/')
		}
	}
	sb.WriteString(" w ")
	for i := range 64 {
		if f.Castle>>i&1 != 0 {
			sb.WriteByte("AaBbCcDdEeFfGgHh"[i%8*2+i/56])
		}
	}
	if f.Castle == 0 {
		sb.WriteByte('-')
	}
	if f.EnPassant != 0 {
		sq := square(f.EnPassant)
		fmt.Fprintf(&sb, " %c6", 'a'+sq%8)
	} else {
		sb.WriteString(" -")
	}
	return sb.String()
}

// suiteCase is a line of a perft suite: a FEN and the node counts by depth.
type suiteCase struct {
	fen   string
	nodes map[int]uint64
}

// readSuite reads a suite from the directory that holds the data shared by
// several checkouts, and skips the test where it is missing.
func readSuite(t testing.TB, name string) []suiteCase {
	t.Helper()
	dir := os.Getenv("TABULA_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	file, err := os.Open(filepath.Join(dir, "perft", name))
	if err != nil {
		t.Skipf("perft suite not at hand: %v", err)
	}
	defer file.Close()
	var cases []suiteCase
	for sc := bufio.NewScanner(file); sc.Scan(); {
		parts := strings.Split(sc.Text(), ";")
		c := suiteCase{strings.TrimSpace(parts[0]), map[int]uint64{}}
		for _, p := range parts[1:] {
			d, n, _ := strings.Cut(strings.TrimSpace(p), " ")
			depth, err := strconv.Atoi(strings.TrimPrefix(d, "D"))
			if err != nil {
				t.Fatalf("%s: %q: %v", name, p, err)
			}
			nodes, err := strconv.ParseUint(strings.TrimSpace(n), 10, 64)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, p, err)
			}
			c.nodes[depth] = nodes
		}
		cases = append(cases, c)
	}
	return cases
}

// standardGeometry is the castling of standard chess: kings on the e-file,
// rooks in the corners.
func standardGeometry() Geometry {
	wings := [2]Wing{NewWing(4, 7), NewWing(4, 0)}
	return Geometry{Us: wings, Them: wings}
}
