package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
)

// movesCommand lists the moves of one generator.
func movesCommand() *cli.Command {
	return &cli.Command{
		Name:      "moves",
		Usage:     "list the moves of a position as one of the generators finds them, tactical and quiet apart",
		ArgsUsage: "FEN",
		Description: "Tactical moves are captures, en passant and promotions. Moves are sorted UCI text;\n" +
			"castling is the king's step (e1g1), and king takes rook (e1h1) in Chess960.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "generator", Usage: "`NAME` of the generator: " + generator.Names() + " (default: position; with --pseudo in standard chess mailbox)"},
			&cli.BoolFlag{Name: "pseudo", Usage: "list the moves before the king's safety is looked at (position: but for castling)"},
			&cli.StringFlag{Name: "piece", Usage: "only the moves of one kind of `PIECE`: p, n, b, r, q or k"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return command.WrongUsef("moves: want a FEN")
			}
			text, _ := command.CompleteFEN(strings.Join(cmd.Args().Slice(), " "))
			p, err := chess.ParseFEN(text)
			if err != nil {
				return command.WrongUse(err)
			}
			name := cmd.String("generator")
			if name == "" {
				name = "position"
				if cmd.Bool("pseudo") && !p.Chess960() {
					name = "mailbox"
				}
			}
			kind, err := parseKind(cmd.String("piece"))
			if err != nil {
				return err
			}
			list, err := listMoves(p, name, cmd.Bool("pseudo"), kind)
			if err != nil {
				return err
			}
			if cmd.Bool("json") {
				return json.NewEncoder(cmd.Root().Writer).Encode(list)
			}
			return list.print(cmd.Root().Writer)
		},
	}
}

// parseKind returns the kind of piece of a letter of either case, NoPieceType
// for no letter.
func parseKind(letter string) (chess.PieceType, error) {
	if letter == "" {
		return chess.NoPieceType, nil
	}
	for t := chess.Pawn; t <= chess.King; t++ {
		if strings.EqualFold(letter, t.String()) {
			return t, nil
		}
	}
	return chess.NoPieceType, command.WrongUsef("piece: %q, want p, n, b, r, q or k", letter)
}

// moveCounts are the lengths of the lists.
type moveCounts struct {
	Tactical int `json:"tactical"`
	Quiet    int `json:"quiet"`
	Total    int `json:"total"`
}

// moveList is what the command moves reports, in this shape with --json.
type moveList struct {
	FEN       string     `json:"fen"`
	Generator string     `json:"generator"`
	Pseudo    bool       `json:"pseudo"`
	Piece     string     `json:"piece,omitempty"`
	Tactical  []string   `json:"tactical"`
	Quiet     []string   `json:"quiet"`
	Counts    moveCounts `json:"counts"`
}

// listMoves asks a generator for its moves, of one kind of piece unless that
// is NoPieceType.
func listMoves(p *chess.Position, name string, pseudo bool, kind chess.PieceType) (*moveList, error) {
	g, err := generator.Find(name)
	if err != nil {
		return nil, err
	}
	b, err := g.Open(p)
	if err != nil {
		return nil, command.WrongUse(err)
	}
	var tactical, quiet []chess.Move
	if pseudo {
		split, ok := b.(generator.SplitBoard)
		if !ok {
			return nil, command.WrongUsef("generator %s has no pseudo-legal moves: its moves are legal as generated", name)
		}
		tactical, quiet = split.PseudoSplit(nil, nil)
	} else {
		for _, m := range b.Legal(nil) {
			if p.IsTactical(m) {
				tactical = append(tactical, m)
			} else {
				quiet = append(quiet, m)
			}
		}
	}
	list := &moveList{
		FEN: p.FEN(), Generator: name, Pseudo: pseudo,
		Tactical: moveTexts(p, tactical, kind), Quiet: moveTexts(p, quiet, kind),
	}
	if kind != chess.NoPieceType {
		list.Piece = kind.String()
	}
	list.Counts = moveCounts{len(list.Tactical), len(list.Quiet), len(list.Tactical) + len(list.Quiet)}
	return list, nil
}

// moveTexts returns the moves of a kind of piece as sorted UCI text.
func moveTexts(p *chess.Position, moves []chess.Move, kind chess.PieceType) []string {
	texts := []string{}
	for _, m := range moves {
		if kind != chess.NoPieceType && p.Piece(m.From()).Type() != kind {
			continue
		}
		if p.Chess960() {
			texts = append(texts, m.String())
		} else {
			texts = append(texts, p.UCI(m))
		}
	}
	slices.Sort(texts)
	return texts
}

// print writes the list for a reader.
func (l *moveList) print(out io.Writer) error {
	what := "legal"
	if l.Pseudo {
		what = "pseudo-legal"
	}
	if l.Piece != "" {
		what += ", piece " + l.Piece
	}
	_, err := fmt.Fprintf(out, "%s\ngenerator %s, %s\ntactical (%d): %s\nquiet (%d): %s\ntotal: %d\n",
		l.FEN, l.Generator, what, l.Counts.Tactical, strings.Join(l.Tactical, " "),
		l.Counts.Quiet, strings.Join(l.Quiet, " "), l.Counts.Total)
	return err
}
