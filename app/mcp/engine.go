package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

type analyseIn struct {
	named
	Nodes uint64 `json:"nodes,omitempty" jsonschema:"positions to search, 1000 to 20000000; more is better and slower (default 500000)"`
	Lines int    `json:"lines,omitempty" jsonschema:"how many of the best moves to return, 1 to 10 (default 1)"`
}

type analysisLine struct {
	Score string `json:"score" jsonschema:"in pawns for the side to move, or mate in moves as #3 or #-3"`
	Depth int    `json:"depth" jsonschema:"plies searched"`
	Moves string `json:"moves" jsonschema:"the line in standard algebraic notation"`
}

type analyseOut struct {
	positionAnswer
	Nodes uint64         `json:"nodes"`
	Lines []analysisLine `json:"lines" jsonschema:"the best lines, best first; none where the game is over"`
}

func (s *server) analyse(ctx context.Context, p *chess.Position, in analyseIn) (out analyseOut, err error) {
	if in.Nodes == 0 {
		in.Nodes = 500_000
	}
	in.Lines = max(in.Lines, 1)
	if in.Nodes < 1000 || in.Nodes > mostNodes || in.Lines > 10 {
		return out, fmt.Errorf("nodes %d, lines %d: want 1000 to %d nodes and 1 to 10 lines", in.Nodes, in.Lines, mostNodes)
	}
	out.positionAnswer, out.Lines = describe(in.Position, p), []analysisLine{}
	if !p.HasLegalMove() {
		return out, nil
	}
	o := search.Options{MultiPV: in.Lines, Tables: search.AllTables()}
	var a search.Analysis
	used := s.use(ctx, func() { a, err = s.Engine.Analyse(ctx, p.Clone(), search.Limits{Nodes: in.Nodes}, o, nil) })
	for i, v := range a.Lines {
		out.Lines = append(out.Lines, analysisLine{v.Score.String(), int(v.Depth), a.LineSAN(i)})
	}
	out.Nodes = a.Nodes
	return out, errors.Join(used, err)
}

// use calls f when no one else uses the engine.
func (s *server) use(ctx context.Context, f func()) error {
	s.searching.Lock()
	defer s.searching.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f()
	return nil
}

type tableMove struct {
	Move   string      `json:"move"`
	Result string      `json:"result" jsonschema:"for the side that moves, with the fifty-move counter: win, draw or loss; cursed win or blessed loss where the fifty-move rule makes a draw or may"`
	DTZ    *syzygy.DTZ `json:"dtz,omitempty" jsonschema:"plies to the next capture, pawn move or mate with best play; missing where the tables do not say it"`
}

type endgameTableOut struct {
	positionAnswer
	Result string      `json:"result" jsonschema:"for the side to move with best play and the fifty-move counter of the position"`
	Exact  bool        `json:"exact" jsonschema:"whether dtz orders the moves; otherwise the moves of one result are in no order"`
	Moves  []tableMove `json:"moves" jsonschema:"every legal move, best first"`
}

// resultOf returns the words for a result of endgame tables.
func resultOf(wdl syzygy.WDL, maybe bool) string {
	switch {
	case maybe:
		return wdl.String() + " (perhaps a draw by the fifty-move rule)"
	case wdl == syzygy.CursedWin || wdl == syzygy.BlessedLoss:
		return wdl.String() + " (a draw by the fifty-move rule)"
	}
	return wdl.String()
}

func (s *server) endgameTable(_ context.Context, p *chess.Position, in named) (out endgameTableOut, err error) {
	wdl, maybe, err := s.Tables.AtClock(p)
	if err != nil {
		return out, fmt.Errorf("%s: %w; the tables have up to %d pieces", p.FEN(), err, s.Tables.Pieces())
	}
	out.positionAnswer, out.Result, out.Moves = describe(in.Position, p), resultOf(wdl, maybe), []tableMove{}
	moves, exact, err := s.Tables.Root(p, false)
	if err != nil {
		return out, err
	}
	out.Exact = exact
	for _, m := range moves {
		one := tableMove{Move: p.SAN(m.Move), Result: resultOf(m.WDL, m.Maybe)}
		if exact && (m.DTZ != 0 || m.WDL == syzygy.Draw) {
			one.DTZ = &m.DTZ
		}
		out.Moves = append(out.Moves, one)
	}
	return out, nil
}

type reviewGameIn struct {
	PGN   string `json:"pgn" jsonschema:"one game in PGN"`
	Nodes uint64 `json:"nodes,omitempty" jsonschema:"positions to search for each move, 1000 to 1000000 (default 50000)"`
	Why   bool   `json:"why,omitempty" jsonschema:"also say why moves were mistakes, where a search proves it: of about one in six"`
}

type reviewGameOut struct {
	PGN      string         `json:"pgn" jsonschema:"the game with evaluations, judgements and better lines"`
	Opening  string         `json:"opening,omitempty"`
	White    review.Side    `json:"white"`
	Black    review.Side    `json:"black"`
	Mistakes []any          `json:"mistakes" jsonschema:"moves that lowered the winning chances, with the FEN after each; scores are White's; why, if asked for, is a reason with its proof: the line of the game and that of a changed position"`
	Final    positionAnswer `json:"final" jsonschema:"the final position, for use in the other tools; without a name where a null move has left the king to be taken"`
	Warning  string         `json:"warning,omitempty" jsonschema:"what was not understood in the game"`
}

func (s *server) reviewGame(ctx context.Context, in reviewGameIn) (out reviewGameOut, err error) {
	if in.Nodes == 0 {
		in.Nodes = 50_000
	}
	if in.Nodes < 1000 || in.Nodes > 1_000_000 || len(in.PGN) > mostPGN {
		return out, fmt.Errorf("nodes %d, PGN of %s: want 1000 to 1000000 nodes and at most %d bytes", in.Nodes,
			plural.Of(len(in.PGN), "byte"), mostPGN)
	}
	games := pgn.NewReader(strings.NewReader(in.PGN))
	games.MaxMoves = mostMoves
	game, err := games.Read()
	if errors.Is(err, io.EOF) {
		return out, errors.New("pgn: want a game, found none")
	}
	if err != nil {
		return out, fmt.Errorf("pgn: %w", err)
	}
	if _, err := games.Read(); !errors.Is(err, io.EOF) {
		return out, errors.New("pgn: want only one game")
	}
	var report *review.Report
	used := s.use(ctx, func() {
		report, err = review.Game(ctx, s.Engine, game,
			review.Options{Limits: review.Limits{Nodes: in.Nodes}, Tables: search.AllTables(), Why: in.Why}, nil)
	})
	if err := errors.Join(err, used); err != nil {
		return out, err
	}
	text, err := report.PGN(game)
	if err != nil {
		return out, err
	}
	p := game.Final()
	out = reviewGameOut{PGN: text, White: report.White, Black: report.Black, Mistakes: []any{}}
	if out.Final.FEN = p.FEN(); !p.CanTakeKing() { // else no other tool may have it
		out.Final = s.keep(p)
	}
	if o, ok := openings.OfGame(p); ok {
		out.Opening = o.String()
	}
	if game.Warning != nil {
		out.Warning = game.Warning.Error()
	}
	for i := range report.Moves {
		if m := &report.Moves[i]; m.Judgment != "" {
			out.Mistakes = append(out.Mistakes, m) // any, for no schema says how a score is written
		}
	}
	return out, nil
}
