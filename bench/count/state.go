package count

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen"
)

// perftState is what a long perft has counted so far: the leaves below the
// root moves that are finished. It is kept in a text file that is replaced as
// a whole after each root move, so that a kill at any moment leaves either the
// old file or the new one:
//
//	tabula perft state 1
//	fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
//	depth 9
//	a2a3 74950758099
//	…
//	crc32 1c291ca3
//
// The last line is the checksum of everything before it.
type perftState struct {
	disk  files.System
	name  string
	fen   string
	depth int
	nodes map[chess.Move]uint64
}

const perftStateTitle = "tabula perft state 1"

// openPerftState reads the state of a perft of p, or begins one where the file
// does not exist. A file that is damaged or belongs to another perft is
// refused.
func openPerftState(d files.System, name string, p *chess.Position, depth int) (*perftState, error) {
	s := &perftState{disk: d, name: name, fen: p.FEN(), depth: depth, nodes: map[chess.Move]uint64{}}
	data, err := files.ReadAll(d, name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err := s.decode(data, p); err != nil {
		return nil, fmt.Errorf("state %s: %w; remove it to begin anew", name, err)
	}
	return s, nil
}

// decode reads the text of a state file.
func (s *perftState) decode(data []byte, p *chess.Position) error {
	body, sum, ok := cutLastLine(data)
	var want uint32
	if n, err := fmt.Sscanf(sum, "crc32 %08x", &want); !ok || n != 1 || err != nil {
		return errors.New("damaged: the last line is no checksum")
	}
	if got := crc32.ChecksumIEEE(body); got != want {
		return fmt.Errorf("damaged: checksum %08x, its last line says %08x", got, want)
	}
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	header := []string{perftStateTitle, "fen " + s.fen, fmt.Sprintf("depth %d", s.depth)}
	for i, want := range header {
		if i >= len(lines) || lines[i] != want {
			return fmt.Errorf("line %d: belongs to another perft, want %q", i+1, want)
		}
	}
	for i, line := range lines[len(header):] {
		var text string
		var nodes uint64
		if n, err := fmt.Sscanf(line, "%s %d", &text, &nodes); n != 2 || err != nil {
			return fmt.Errorf("line %d: %q, want a move and its nodes", i+len(header)+1, line)
		}
		m, err := p.ParseUCI(text)
		if err != nil {
			return fmt.Errorf("line %d: %w", i+len(header)+1, err)
		}
		s.nodes[m] = nodes
	}
	return nil
}

// cutLastLine splits data before its last line.
func cutLastLine(data []byte) (before []byte, last string, ok bool) {
	if len(data) == 0 || data[len(data)-1] != '\n' {
		return nil, "", false
	}
	i := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	return data[:i], string(data[i : len(data)-1]), true
}

// encode returns the text of the state file, moves in the order of moves.
func (s *perftState) encode(order []chess.Move) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nfen %s\ndepth %d\n", perftStateTitle, s.fen, s.depth)
	for _, m := range order {
		if nodes, ok := s.nodes[m]; ok {
			fmt.Fprintf(&b, "%s %d\n", m, nodes)
		}
	}
	fmt.Fprintf(&b, "crc32 %08x\n", crc32.ChecksumIEEE(b.Bytes()))
	return b.Bytes()
}

// add records a finished root move and replaces the file.
func (s *perftState) add(m chess.Move, nodes uint64, p *chess.Position) error {
	s.nodes[m] = nodes
	if err := files.WriteOn(s.disk, s.name, s.encode(movegen.Legal(p, nil))); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}
