package polyglot

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Builder collects the moves of a book. The zero Builder is empty and ready to use. It is not safe
// for concurrent use.
type Builder struct {
	positions map[uint64][]weighed
}

type weighed struct {
	move   chess.Move
	weight int
}

// Add adds a move of p that is worth playing as often as its weight says in relation to the position's
// other moves. A move that is added twice has both weights; one without a weight, a null move, and one
// that is not legal are left out.
func (b *Builder) Add(p *chess.Position, m chess.Move, weight int) {
	if weight <= 0 || m == chess.NoMove || !p.IsLegal(m) {
		return
	}
	if b.positions == nil {
		b.positions = map[uint64][]weighed{}
	}
	key := Key(p)
	moves := b.positions[key]
	if i := slices.IndexFunc(moves, func(w weighed) bool { return w.move == m }); i >= 0 {
		moves[i].weight += weight
	} else {
		b.positions[key] = append(moves, weighed{m, weight})
	}
}

// AddGame adds the moves of the main line of a game, of its first plies alone where plies is not 0, by
// what they brought: two for a win, nothing for a loss, and one otherwise.
func (b *Builder) AddGame(g *pgn.Game, plies int) {
	weights := map[chess.Result][2]int{chess.WhiteWins: {2, 0}, chess.BlackWins: {0, 2}}
	ply := 0
	for p, node := range g.Replay() {
		if ply++; plies > 0 && ply > plies {
			return
		}
		weight := 1
		if w, won := weights[g.Result]; won {
			weight = w[p.SideToMove()]
		}
		b.Add(p, node.Move, weight)
	}
}

// Positions returns the number of positions.
func (b *Builder) Positions() int { return len(b.positions) }

// WriteBook writes the book. Where a weight does not fit 65535, all of its position are made
// smaller alike. Errors: those of w.
func (b *Builder) WriteBook(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, key := range slices.Sorted(maps.Keys(b.positions)) {
		moves := slices.Clone(b.positions[key])
		slices.SortFunc(moves, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.move, b.move))
		})
		for _, m := range moves {
			weight := int64(m.weight)
			if heaviest := int64(moves[0].weight); heaviest > math.MaxUint16 {
				weight = weight * math.MaxUint16 / heaviest
			}
			if weight == 0 {
				break
			}
			var raw [entrySize]byte
			binary.BigEndian.PutUint64(raw[:], key)
			binary.BigEndian.PutUint16(raw[8:], EncodeMove(m.move))
			binary.BigEndian.PutUint16(raw[10:], uint16(weight))
			out.Write(raw[:]) // Flush tells of its errors
		}
	}
	return out.Flush()
}
