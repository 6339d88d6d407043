package annotate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/pgn"
)

// survey is the result of a first pass over the inputs.
type survey struct {
	plies  int64 // positions in all games, -1 if the inputs cannot be read twice
	sizes  []int // positions in each game, 0 for an unreadable game
	digest string
}

// resumable reports whether the same command can be repeated.
func (s *Settings) resumable() bool { return s.Out != Stdio && !slices.Contains(s.Files, Stdio) }

// survey reads the inputs once, if possible, to learn the amount of work and to compute a digest of
// inputs and settings, which tells whether a journal belongs to the same run.
func (s *Settings) survey(ctx context.Context) (survey, error) {
	bytes := int64(0)
	for _, name := range s.Files {
		if name != Stdio {
			if err := files.Check(name); err != nil {
				return survey{}, exit.WrongUse(err)
			}
			if info, err := os.Stat(name); err == nil {
				bytes += info.Size()
			}
		}
	}
	if slices.Contains(s.Files, Stdio) {
		return survey{plies: -1}, nil
	}
	var known survey
	all := sha256.New()
	fmt.Fprintf(all, "%s %s %+v %d %v\n", version.Number, version.Commit(), s.Limits, s.Hash, s.Strict)
	if s.Network != nil {
		fmt.Fprintf(all, "network %x\n", s.Network.Hash())
	}
	if s.Tables != nil {
		wdl, dtz := s.Tables.Found()
		fmt.Fprintf(all, "tables %d %d %d\n", s.Tables.Men(), wdl, dtz)
	}
	bar := command.NewBar(s.Err, bytes, "")
	defer bar.Close()
	for _, name := range s.Files {
		sum, found := sha256.New(), 0
		bar.Describe("no games yet, " + shown(name))
		err := s.file(ctx, name, io.MultiWriter(sum, bar), func(_ string, _ int, g *pgn.Game, bad *badGame) error {
			if ctx.Err() != nil {
				return exit.ErrInterrupted
			}
			size := 0
			if bad == nil {
				size = len(g.Main.Moves) + 1
			}
			found++
			bar.Describe(plural.Of(found, "game") + ", " + shown(name))
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

// badGame is an unreadable game.
type badGame struct {
	err  *pgn.Error
	text []byte // the original text and an empty line
}

// games calls do with every game of the inputs and the size of its text, until do returns an error.
func (s *Settings) games(ctx context.Context, do func(file string, size int, g *pgn.Game, bad *badGame) error) error {
	for _, name := range s.Files {
		any := false
		err := s.file(ctx, name, io.Discard, func(file string, size int, g *pgn.Game, bad *badGame) error {
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

// file calls do with every game of one input and copies the text to copied.
func (s *Settings) file(ctx context.Context, name string, copied io.Writer,
	do func(file string, size int, g *pgn.Game, bad *badGame) error) error {
	in, err := s.open(ctx, name)
	if err != nil {
		return exit.WrongUse(err)
	}
	defer in.Close()
	var kept passage
	r := pgn.NewReader(io.TeeReader(in, io.MultiWriter(copied, &kept)))
	for g, err := range r.Games() {
		var bad *badGame
		text := kept.upTo(r.InputOffset())
		if err == nil && s.Strict && g.Shortened {
			g, err = nil, g.Warning
		}
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

// shown returns the name of an input for messages.
func shown(name string) string {
	if name == Stdio {
		return "standard input"
	}
	return name
}

// passage is the part of an input that has been read but not yet taken by upTo. Its size is
// bounded, so that a file without games cannot fill the memory.
type passage struct {
	text  []byte
	from  int64 // its offset in the input
	games int   // games before it
}

// Write appends b.
func (p *passage) Write(b []byte) (int, error) {
	if len(p.text)+len(b) > 2*pgn.MaxGameSize {
		return 0, fmt.Errorf("game %d: more than %d MiB", 1+p.games, 2*pgn.MaxGameSize>>20)
	}
	p.text = append(p.text, b...)
	return len(b), nil
}

// upTo takes the text before an offset of the input.
func (p *passage) upTo(offset int64) []byte {
	text := p.text[:offset-p.from]
	p.text, p.from = p.text[len(text):], offset
	p.games++
	return text
}
