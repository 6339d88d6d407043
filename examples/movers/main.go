// Command movers is two UCI engines that look no further than one move. They are the fixed points of the scale of
// weak levels; see docs/strength.md.
//
//	go run ./examples/movers random
//	go run ./examples/movers greedy
//
// The random mover plays any legal move. The greedy mover mates if it can, and otherwise plays the move that takes
// most, less what the opponent takes most in reply; among equal moves it chooses at random. Random choices depend on
// the moves of the game and on the number behind the name, 0 if there is none, so a game can be repeated.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

func main() {
	m, err := newMover(os.Args[1:])
	if err == nil {
		config := uci.SessionConfig{Name: strings.Join(os.Args[1:], " ") + " mover", Author: "Tabula"}
		err = uci.Run(context.Background(), os.Stdin, os.Stdout, m.open, config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "movers:", err)
		os.Exit(1)
	}
}

// mover chooses a move; the engine within obeys the protocol for it.
type mover struct {
	*search.Engine
	rate func(p *chess.Position, m chess.Move) int // the highest rated move is played
	seed uint64
}

// newMover reads the arguments of the command.
func newMover(args []string) (*mover, error) {
	m := &mover{}
	switch {
	case len(args) > 0 && args[0] == "random":
		m.rate = func(*chess.Position, chess.Move) int { return 0 }
	case len(args) > 0 && args[0] == "greedy":
		m.rate = profit
	default:
		return nil, errors.New("want random or greedy and perhaps a number")
	}
	if len(args) == 1 {
		return m, nil
	}
	var err error
	if m.seed, err = strconv.ParseUint(args[1], 10, 64); err != nil || len(args) > 2 {
		return nil, fmt.Errorf("%q, want one whole number behind %s", args[1:], args[0])
	}
	return m, nil
}

// open provides the mover with an engine.
func (m *mover) open() (_ uci.Searcher, err error) {
	m.Engine, err = search.NewEngine(uci.DefaultHash)
	return m, err
}

// Search chooses a move and leaves the engine no other.
func (m *mover) Search(p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) search.Result {
	moves := l.SearchMoves
	if len(moves) == 0 {
		moves = movegen.Legal(p, nil)
	}
	if best := m.choose(p, moves); best != chess.NoMove {
		l.SearchMoves, l.Depth = []chess.Move{best}, 1
	}
	return m.Engine.Search(p, l, o, report)
}

// choose returns one of the highest rated of the moves, or chess.NoMove if there is none.
func (m *mover) choose(p *chess.Position, moves []chess.Move) (best chess.Move) {
	highest, equal := 0, uint64(0)
	chance := uint64(p.Key()) ^ m.seed<<32 ^ uint64(p.Plies())
	for _, move := range moves {
		rated := m.rate(p, move)
		if equal == 0 || rated > highest {
			highest, equal = rated, 0
		}
		if rated < highest {
			continue
		}
		equal++
		if chance = scatter(chance); chance%equal == 0 {
			best = move
		}
	}
	return best
}

// scatter mixes the bits of x. Source: Steele, Lea and Flood, the finisher of SplitMix64.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// values are what men count, by kind; the king, which nobody takes, counts nothing.
var values = [7]int{chess.Pawn: 1, chess.Knight: 3, chess.Bishop: 3, chess.Rook: 5, chess.Queen: 9}

const mate = 1000

// profit returns what a move takes, less the most that one capture gains in reply.
func profit(p *chess.Position, m chess.Move) int {
	gain := taken(p, m)
	p.Make(m)
	defer p.Unmake()
	replies := movegen.Legal(p, nil)
	if len(replies) == 0 && p.InCheck() {
		return mate
	}
	loss := 0
	for _, reply := range replies {
		back := taken(p, reply)
		if p.AttackersTo(reply.To(), p.Occupied()&^reply.From().Bitboard())&p.ByColor(p.SideToMove().Other()) != 0 {
			back -= values[p.Piece(reply.From()).Type()] // the piece is protected
		}
		loss = max(loss, back)
	}
	return gain - loss
}

// taken returns the value of what a move takes, and of what a pawn becomes.
func taken(p *chess.Position, m chess.Move) (sum int) {
	switch {
	case m.Kind() == chess.EnPassant:
		sum = values[chess.Pawn]
	case p.IsCapture(m):
		sum = values[p.Piece(m.To()).Type()]
	}
	if m.Kind() == chess.Promotion {
		sum += values[m.PromotionType()] - values[chess.Pawn]
	}
	return sum
}
