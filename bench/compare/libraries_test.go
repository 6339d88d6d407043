package compare

import (
	"context"
	"testing"

	corentings "github.com/corentings/chess/v2"
	"github.com/dylhunn/dragontoothmg"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// library is one contestant. Each method does what its library's own
// documentation shows for the job.
type library interface {
	name() string
	// parse reads a FEN.
	parse(fen string) error
	// moves generates the legal moves b.N times, each time anew.
	moves(b *testing.B, fen string)
	// playAll returns a function that plays and takes back every legal move of
	// a position. Libraries that copy have nothing to take back.
	playAll(fen string) func()
	// bulk counts leaves without playing the last ply.
	bulk(fen string, depth int) uint64
	// listing counts leaves by the length of the last lists of moves.
	listing(fen string, depth int) uint64
	// san returns functions that write all legal moves of a position in standard
	// algebraic notation and that read them; nil where the library has none.
	san(fen string) (write func() []string, read func([]string) error)
	// walk counts leaves and plays the last ply too.
	walk(fen string, depth int) uint64
}

// libraries are the contestants.
var libraries = []library{tabulaLibrary{}, dragontoothLibrary{}, corentingsLibrary{}}

type tabulaLibrary struct{}

func (tabulaLibrary) name() string { return "tabula" }

func (tabulaLibrary) parse(fen string) error {
	_, err := chess.ParseFEN(fen)
	return err
}

func (tabulaLibrary) position(fen string) *chess.Position {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		panic(err)
	}
	return p
}

func (l tabulaLibrary) moves(b *testing.B, fen string) {
	p := l.position(fen)
	buf := make([]chess.Move, 0, chess.MaxMoves)
	for range b.N {
		movegen.Legal(p, buf)
	}
}

func (l tabulaLibrary) playAll(fen string) func() {
	p := l.position(fen)
	moves := movegen.Legal(p, nil)
	return func() {
		for _, m := range moves {
			p.Make(m)
			p.Unmake()
		}
	}
}

func (l tabulaLibrary) bulk(fen string, depth int) uint64 {
	n, err := perft.Count(context.Background(), l.position(fen), depth, perft.Options{})
	if err != nil {
		panic(err)
	}
	return n
}

func (l tabulaLibrary) walk(fen string, depth int) uint64 {
	return perft.Walk(l.position(fen), depth)
}

func (l tabulaLibrary) listing(fen string, depth int) uint64 {
	return perft.ByLists(l.position(fen), depth)
}

func (l tabulaLibrary) san(fen string) (write func() []string, read func([]string) error) {
	p := l.position(fen)
	moves := movegen.Legal(p, nil)
	write = func() []string {
		texts := make([]string, len(moves))
		for i, m := range moves {
			texts[i] = p.SAN(m)
		}
		return texts
	}
	read = func(texts []string) error {
		for _, text := range texts {
			if _, err := p.ParseSAN(text); err != nil {
				return err
			}
		}
		return nil
	}
	return write, read
}

type dragontoothLibrary struct{}

func (dragontoothLibrary) name() string { return "dragontoothmg" }

func (dragontoothLibrary) parse(fen string) error {
	dragontoothmg.ParseFen(fen)
	return nil
}

func (dragontoothLibrary) moves(b *testing.B, fen string) {
	p := dragontoothmg.ParseFen(fen)
	for range b.N {
		p.GenerateLegalMoves()
	}
}

func (dragontoothLibrary) playAll(fen string) func() {
	p := dragontoothmg.ParseFen(fen)
	moves := p.GenerateLegalMoves()
	return func() {
		for _, m := range moves {
			p.Apply(m)()
		}
	}
}

func (dragontoothLibrary) bulk(fen string, depth int) uint64 {
	p := dragontoothmg.ParseFen(fen)
	return uint64(dragontoothmg.Perft(&p, depth))
}

func (l dragontoothLibrary) walk(fen string, depth int) uint64 {
	p := dragontoothmg.ParseFen(fen)
	return l.walkFrom(&p, depth)
}

func (l dragontoothLibrary) walkFrom(p *dragontoothmg.Board, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var nodes uint64
	for _, m := range p.GenerateLegalMoves() {
		undo := p.Apply(m)
		nodes += l.walkFrom(p, depth-1)
		undo()
	}
	return nodes
}

func (l dragontoothLibrary) listing(fen string, depth int) uint64 { return l.bulk(fen, depth) }

func (dragontoothLibrary) san(string) (write func() []string, read func([]string) error) {
	return nil, nil
}

type corentingsLibrary struct{}

func (corentingsLibrary) name() string { return "corentings-v2" }

func (corentingsLibrary) parse(fen string) error {
	return new(corentings.Position).UnmarshalText([]byte(fen))
}

func (l corentingsLibrary) position(fen string) *corentings.Position {
	p := new(corentings.Position)
	if err := p.UnmarshalText([]byte(fen)); err != nil {
		panic(err)
	}
	return p
}

// moves needs fresh positions, as a position remembers its moves. They are
// made in batches while the clock stands.
func (l corentingsLibrary) moves(b *testing.B, fen string) {
	var batch [512]*corentings.Position
	for i := range b.N {
		if i%len(batch) == 0 {
			b.StopTimer()
			for j := range min(len(batch), b.N-i) {
				batch[j] = l.position(fen)
			}
			b.StartTimer()
		}
		batch[i%len(batch)].ValidMoves()
	}
}

func (l corentingsLibrary) playAll(fen string) func() {
	p := l.position(fen)
	moves := p.ValidMoves()
	return func() {
		for i := range moves {
			p.Update(&moves[i])
		}
	}
}

func (l corentingsLibrary) bulk(fen string, depth int) uint64 {
	return l.count(l.position(fen), depth, 1)
}

func (l corentingsLibrary) walk(fen string, depth int) uint64 {
	return l.count(l.position(fen), depth, 0)
}

// count plays down to the depth last.
func (l corentingsLibrary) count(p *corentings.Position, depth, last int) uint64 {
	if depth == 0 {
		return 1
	}
	moves := p.ValidMoves()
	if depth == last {
		return uint64(len(moves))
	}
	var nodes uint64
	for i := range moves {
		nodes += l.count(p.Update(&moves[i]), depth-1, last)
	}
	return nodes
}

func (l corentingsLibrary) listing(fen string, depth int) uint64 { return l.bulk(fen, depth) }

func (l corentingsLibrary) san(fen string) (write func() []string, read func([]string) error) {
	p := l.position(fen)
	moves := p.ValidMoves()
	var notation corentings.AlgebraicNotation
	write = func() []string {
		texts := make([]string, len(moves))
		for i := range moves {
			texts[i] = notation.Encode(p, &moves[i])
		}
		return texts
	}
	read = func(texts []string) error {
		for _, text := range texts {
			if _, err := notation.Decode(p, text); err != nil {
				return err
			}
		}
		return nil
	}
	return write, read
}
