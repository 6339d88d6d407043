package annotate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/regular"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/pgn"
)

// survey is what a first look at the inputs tells.
type survey struct {
	plies  int64 // positions of all games, -1 where they cannot be read twice
	sizes  []int // positions of each game
	digest string
}

// resumable reports whether the same command can be given again.
func (s *Settings) resumable() bool { return s.Out != Stdio && !slices.Contains(s.Files, Stdio) }

// survey reads the inputs once where that is possible: to know how much there is to
// do and, by a digest of inputs and settings, whether a journal is of the same run.
func (s *Settings) survey(ctx context.Context) (survey, error) {
	for _, name := range s.Files {
		if name != Stdio {
			if err := regular.Check(name); err != nil {
				return survey{}, exit.WrongUse(err)
			}
		}
	}
	if slices.Contains(s.Files, Stdio) {
		return survey{plies: -1}, nil
	}
	var known survey
	all := sha256.New()
	fmt.Fprintf(all, "%s %s %+v\n", version.Version, version.Commit(), s.Limits)
	if s.Network != nil {
		fmt.Fprintf(all, "network %x\n", s.Network.Hash())
	}
	if s.Tables != nil {
		wdl, dtz := s.Tables.Found()
		fmt.Fprintf(all, "tables %d %d %d\n", s.Tables.Men(), wdl, dtz)
	}
	for _, name := range s.Files {
		sum := sha256.New()
		err := s.file(name, sum, func(_ string, g *pgn.Game, err error) error {
			if ctx.Err() != nil {
				return exit.ErrInterrupted
			}
			if err == nil {
				known.sizes = append(known.sizes, len(g.Main.Moves)+1)
				known.plies += int64(len(g.Main.Moves) + 1)
			}
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

// games calls do with every game of the inputs, bad ones as errors, until it returns
// an error.
func (s *Settings) games(do func(file string, g *pgn.Game, err error) error) error {
	for _, name := range s.Files {
		if err := s.file(name, io.Discard, do); err != nil {
			return err
		}
	}
	return nil
}

// file calls do with every game of one input and writes the text to copied.
func (s *Settings) file(name string, copied io.Writer, do func(file string, g *pgn.Game, err error) error) error {
	in, err := s.open(name)
	if err != nil {
		return exit.WrongUse(err)
	}
	defer in.Close()
	shown := name
	if name == Stdio {
		shown = "standard input"
	}
	for g, err := range pgn.NewReader(io.TeeReader(in, copied)).Games() {
		var bad *pgn.Error
		if err != nil && !errors.As(err, &bad) {
			return fmt.Errorf("%s: %w", shown, err)
		}
		if err := do(shown, g, err); err != nil {
			return err
		}
	}
	return nil
}
