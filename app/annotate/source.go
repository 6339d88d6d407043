package annotate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/pgn"
)

// survey is what a first look at the inputs tells.
type survey struct {
	plies  int64 // positions of all games, -1 where they cannot be read twice
	sizes  []int // positions of each game, 0 of those that cannot be read
	digest string
}

// resumable reports whether the same command can be given again.
func (s *Settings) resumable() bool { return s.Out != Stdio && !slices.Contains(s.Files, Stdio) }

// survey reads the inputs once where that is possible: to know how much there is to
// do and, by a digest of inputs and settings, whether a journal is of the same run.
func (s *Settings) survey(ctx context.Context) (survey, error) {
	for _, name := range s.Files {
		if name != Stdio {
			if err := files.Check(name); err != nil {
				return survey{}, exit.WrongUse(err)
			}
		}
	}
	if slices.Contains(s.Files, Stdio) {
		return survey{plies: -1}, nil
	}
	var known survey
	all := sha256.New()
	fmt.Fprintf(all, "%s %s %+v\n", version.Number, version.Commit(), s.Limits)
	if s.Network != nil {
		fmt.Fprintf(all, "network %x\n", s.Network.Hash())
	}
	if s.Tables != nil {
		wdl, dtz := s.Tables.Found()
		fmt.Fprintf(all, "tables %d %d %d\n", s.Tables.Men(), wdl, dtz)
	}
	for _, name := range s.Files {
		sum := sha256.New()
		err := s.file(name, sum, func(_ string, _ int, g *pgn.Game, bad *badGame) error {
			if ctx.Err() != nil {
				return exit.ErrInterrupted
			}
			size := 0
			if bad == nil {
				size = len(g.Main.Moves) + 1
			}
			known.sizes = append(known.sizes, size)
			known.plies += int64(size)
			return nil
		})
		if err != nil {
			return survey{}, err
		}
		fmt.Fprintf(all, "%x\n", sum.Sum(nil))
	}
	known.digest = hex.EncodeToString(all.Sum(nil))
	return known, nil
}

// badGame is a game that cannot be read.
type badGame struct {
	err  *pgn.Error
	text []byte // all of it, and an empty line
}

// games calls do with every game of the inputs, and the size of its text, until it returns an error.
func (s *Settings) games(do func(file string, size int, g *pgn.Game, bad *badGame) error) error {
	for _, name := range s.Files {
		any := false
		err := s.file(name, io.Discard, func(file string, size int, g *pgn.Game, bad *badGame) error {
			any = true
			return do(file, size, g, bad)
		})
		if err != nil {
			return err
		}
		if !any {
			fmt.Fprintf(s.Err, "%s: no games\n", shown(name))
		}
	}
	return nil
}

// file calls do with every game of one input and writes the text to copied.
func (s *Settings) file(name string, copied io.Writer, do func(file string, size int, g *pgn.Game, bad *badGame) error) error {
	in, err := s.open(name)
	if err != nil {
		return exit.WrongUse(err)
	}
	defer in.Close()
	var kept passage
	r := pgn.NewReader(io.TeeReader(in, io.MultiWriter(copied, &kept)))
	for g, err := range r.Games() {
		var bad *badGame
		text := kept.upTo(r.InputOffset())
		if err != nil {
			bad = new(badGame)
			if !errors.As(err, &bad.err) {
				return fmt.Errorf("%s: %w", shown(name), err)
			}
			text = bytes.Trim(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), "\r\n")
			bad.text = append(bytes.Clone(text), "\n\n"...)
		}
		if err := do(shown(name), len(text), g, bad); err != nil {
			return err
		}
	}
	return nil
}

// shown returns the name of an input in words.
func shown(name string) string {
	if name == Stdio {
		return "standard input"
	}
	return name
}

// passage is the part of an input that has been read and not been asked for. It is
// bounded: a file without games must not take all memory.
type passage struct {
	text  []byte
	from  int64 // its offset in the input
	games int   // before it
}

// Write keeps a piece.
func (p *passage) Write(b []byte) (int, error) {
	if len(p.text)+len(b) > 2*pgn.MaxGameSize {
		return 0, fmt.Errorf("game %d: more than %d MiB", 1+p.games, 2*pgn.MaxGameSize>>20)
	}
	p.text = append(p.text, b...)
	return len(b), nil
}

// upTo returns what lies before an offset of the input, and keeps it no longer.
func (p *passage) upTo(offset int64) []byte {
	text := p.text[:offset-p.from]
	p.text, p.from = p.text[len(text):], offset
	p.games++
	return text
}
