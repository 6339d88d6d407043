package games

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
)

func importCommand(in io.Reader) *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "add the games of PGN files", ArgsUsage: "FILE.pgn[.zst|.gz|.bz2] …",
		Description: `- is standard input. A game that is there already, with the same moves and tags, is not added again. What cannot be
read is told of with file, game and line, and the exit code is 1 then. An import that was interrupted goes on where it
ended when the same command is given again. Tags and moves are kept, comments and variations are not.`,
		Flags: []cli.Flag{jsonFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return command.WrongUsef("no file; see %s --help", cmd.FullName())
			}
			return withDB(cmd, games.Update, func(db *games.DB) error {
				var sum games.Imported
				var err error
				for _, name := range cmd.Args().Slice() {
					var done games.Imported
					done, err = importFile(ctx, cmd, db, in, name)
					sum.Games, sum.Repeated = sum.Games+done.Games, sum.Repeated+done.Repeated
					sum.Bad, sum.Skipped = sum.Bad+done.Bad, sum.Skipped+done.Skipped
					if err != nil {
						break
					}
				}
				if err == nil && sum.Bad > 0 {
					err = fmt.Errorf("%d games could not be read", sum.Bad)
				}
				if cmd.Bool("json") {
					return errors.Join(err, printJSON(cmd, sum))
				}
				_, e := fmt.Fprintf(cmd.Root().Writer, "%d new games, %d that were there, %d dealt with before, %d that cannot be read\n",
					sum.Games, sum.Repeated, sum.Skipped, sum.Bad)
				return errors.Join(err, e)
			})
		},
	}
}

// importFile imports a file, - for in.
func importFile(ctx context.Context, cmd *cli.Command, db *games.DB, in io.Reader, name string) (games.Imported, error) {
	src := games.Source{Name: name, PGN: in}
	read := &counter{Reader: in}
	total := int64(-1)
	if name == "-" {
		src.Name = "standard input"
		command.Awaits(in, cmd.Root().ErrWriter, "games import reads PGN until Ctrl-D")
	} else {
		f, err := files.Open(name)
		if err != nil {
			return games.Imported{}, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return games.Imported{}, err
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return games.Imported{}, err
		}
		total = info.Size()
		src.ID = fmt.Sprintf("%s, %d bytes of %s", path, total, info.ModTime().UTC().Format(time.RFC3339Nano))
		read.Reader = f
		if src.PGN, err = unpack(name, read); err != nil {
			return games.Imported{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	bar := command.NewBar(cmd.Root().ErrWriter, total, name)
	began := time.Now()
	src.Progress = func(done games.Imported) {
		n := done.Games + done.Repeated + done.Bad
		bar.Describe(fmt.Sprintf("%d games, %.0f games/s, %s", n, float64(n)/time.Since(began).Seconds(), filepath.Base(name)))
		bar.Set(int(read.n.Load()))
	}
	src.Bad = func(err error) { fmt.Fprintln(cmd.Root().ErrWriter, err) }
	done, err := db.Import(ctx, src)
	bar.Close()
	return done, err
}

// unpack returns the text of a file by the end of its name.
func unpack(name string, r *counter) (io.Reader, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return gzip.NewReader(bufio.NewReader(r))
	case ".bz2":
		return bzip2.NewReader(bufio.NewReader(r)), nil
	case ".zst":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	}
	return r, nil
}

// counter counts what is read of a file.
type counter struct {
	io.Reader
	n atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n.Add(int64(n))
	return n, err
}
