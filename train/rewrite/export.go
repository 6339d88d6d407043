package rewrite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
)

// ExportText writes a line "FEN | score | result" for every position that f
// keeps, the form the converters of bullet read: score in centipawns and
// result 1.0, 0.5 or 0.0, both White's. It returns the number of lines, with the error of ctx those until it ended.
// Source: the documentation of jw1912/bullet.
func ExportText(ctx context.Context, names []string, w io.Writer, f loader.Filter) (lines int, err error) {
	s, err := openAll(names, false)
	if err != nil {
		return 0, err
	}
	defer s.close()
	out := bufio.NewWriterSize(w, 1<<16)
	pos := new(chess.Position)
	var line []byte
	err = s.each(ctx, func(b *block.Block) error {
		number := -1
		for _, g := range b.Games() {
			number++
			var board record.Board
			if err := board.Start(g.Start()); err != nil {
				return fmt.Errorf("game %d: %w", number, err)
			}
			result := [...]string{"0.0", "0.5", "1.0"}[g.Result()]
			err := g.Verify(pos, func(p *chess.Position, ply record.Ply) {
				if f.Keep(&board, ply) {
					line = p.AppendFEN(line[:0], chess.FENStyle{})
					line = append(line, " | "...)
					line = strconv.AppendInt(line, int64(ply.Score), 10)
					line = append(line, " | "...)
					line = append(line, result...)
					line = append(line, '\n')
					out.Write(line) // Flush tells of an error
					lines++
				}
				board.Apply(ply.Move)
			})
			if err != nil {
				return fmt.Errorf("game %d: %w", number, err)
			}
		}
		return nil
	})
	if err != nil {
		return lines, err
	}
	return lines, out.Flush()
}

// ExportGames writes the games one after the other without blocks, the layout
// known as viriformat. It returns the number of games.
func ExportGames(ctx context.Context, names []string, w io.Writer) (games int, err error) {
	s, err := openAll(names, false)
	if err != nil {
		return 0, err
	}
	defer s.close()
	err = s.each(ctx, func(b *block.Block) error {
		games += b.Header.Games
		_, err := w.Write(b.Bytes())
		return err
	})
	return games, err
}
