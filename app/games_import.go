//go:build !js

package app

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
)

func importCommand(in io.Reader) *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "add the games of PGN files", ArgsUsage: "FILE.pgn[.zst|.gz|.bz2] …",
		Description: `The file name - means standard input. Files may be compressed with gzip, bzip2 or zstd. The database stores tags,
moves and clocks, but no other comments and no variations. A game with the same moves, result and tags as a stored one
is not added.

Each unreadable game is reported with file, game number and line, and the exit code is then 1, as it is if a compressed
file is cut off. A game with an unknown word or sign is added, with a warning. A game with an illegal or ambiguous move
is added up to this move, with a warning, and counts as shortened; --strict reports it as unreadable instead. To
continue an interrupted import, repeat the command.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "strict", Usage: "do not add games with an illegal or ambiguous move"}, jsonFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return exit.WrongUsef("no file; see %s --help", cmd.FullName())
			}
			return withDB(cmd, games.Update, func(db *games.DB) error {
				var sum games.Imported
				var err error
				for _, name := range cmd.Args().Slice() {
					done, failed := importFile(ctx, cmd, db, in, name)
					err = errors.Join(err, failed)
					sum.Games, sum.Repeated = sum.Games+done.Games, sum.Repeated+done.Repeated
					sum.Bad, sum.Warned = sum.Bad+done.Bad, sum.Warned+done.Warned
					sum.Shortened += done.Shortened
					if _, of := errors.AsType[fileError](failed); failed != nil && !of {
						break
					}
				}
				return errors.Join(err, report(cmd, sum))
			})
		},
	}
}

// report prints what became of games, and returns an error where some could not be read.
func report(cmd *cli.Command, sum games.Imported) (err error) {
	if cmd.Bool("json") {
		err = printJSON(cmd, sum)
	} else {
		_, err = fmt.Fprintf(cmd.Root().Writer, "%s, %s, %d shortened, %d unreadable\n",
			plural.Of(sum.Games, "new game"), plural.Of(sum.Repeated, "duplicate"), sum.Shortened, sum.Bad)
	}
	if err == nil && sum.Bad > 0 {
		err = fmt.Errorf("%s could not be read", plural.Of(sum.Bad, "game"))
	}
	return err
}

// fileError is an error of one file; the other files are still imported.
type fileError struct{ error }

// Unwrap returns the error.
func (e fileError) Unwrap() error { return e.error }

// importFile imports one file; the name - means in.
func importFile(
	ctx context.Context, cmd *cli.Command, db *games.DB, in io.Reader, name string,
) (games.Imported, error) {
	src := games.Source{Name: name, Strict: cmd.Bool("strict")}
	total := int64(-1)
	if name == "-" {
		src.Name = "standard input"
		command.Awaits(in, cmd.Root().ErrWriter, "games import reads PGN until Ctrl-D")
	} else {
		f, err := files.Open(name)
		if err != nil {
			return games.Imported{}, fileError{err}
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return games.Imported{}, err
		}
		total, in = info.Size(), f
	}
	bar := command.NewBar(cmd.Root().ErrWriter, total, "no games yet, "+filepath.Base(name))
	defer bar.Close()
	text, err := unpack(name, io.TeeReader(in, bar))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("it is cut off: %w", err)
	}
	if err != nil {
		return games.Imported{}, fileError{fmt.Errorf("%s: %w", src.Name, err)}
	}
	src.PGN = fileReader{text}
	began := time.Now()
	src.Progress = func(done games.Imported) {
		n := done.Games + done.Repeated + done.Bad
		bar.Describe(fmt.Sprintf("%s, %.0f games/s, %s", plural.Of(n, "game"), float64(n)/time.Since(began).Seconds(),
			filepath.Base(name)))
	}
	src.Bad = func(err error) { fmt.Fprintln(cmd.Root().ErrWriter, err) }
	src.Warn = command.Warn(cmd.Root().ErrWriter)
	done, err := db.Import(ctx, src)
	bar.Close() // before messages
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = fileError{fmt.Errorf("%s: packed with a window of more than 128 MiB; "+
			"zstd -dc --long=31 FILE | tabula games import -", src.Name)}
	}
	if err == nil && done.Games+done.Repeated+done.Bad == 0 {
		fmt.Fprintf(cmd.Root().ErrWriter, "%s: no games\n", src.Name)
	}
	return done, err
}

// unpack decompresses a file as its first bytes ask. An empty file whose name ends like a
// compressed one is an error.
func unpack(name string, r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	begin, err := in.Peek(4)
	switch text := string(begin); {
	case strings.HasPrefix(text, "\x1f\x8b"):
		return gzip.NewReader(in)
	case strings.HasPrefix(text, "BZh"):
		return bzip2.NewReader(in), nil
	case text == "\x28\xb5\x2f\xfd":
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	case text == "PK\x03\x04":
		return nil, errors.New("zip archives are not supported; unpack it first")
	case len(text) < 4 && slices.Contains([]string{".gz", ".bz2", ".zst"}, strings.ToLower(filepath.Ext(name))):
		return nil, io.ErrUnexpectedEOF
	case err == io.EOF: // a terminal reports it only once
		return strings.NewReader(text), nil
	}
	return in, nil // reading reports any other error again
}

// fileReader makes an error of a reader, except io.EOF, a fileError.
type fileReader struct{ io.Reader }

func (r fileReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = fileError{err}
	}
	return n, err
}
