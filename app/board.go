package app

import (
	"context"
	"errors"
	"flag"
	"io"
	"runtime"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/flags"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// runBoard obeys "board [flags]": it answers messages, one a line.
func runBoard(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	f := flag.NewFlagSet("tabula board", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	config := session.Config{Version: command.Version, Transport: "stream"}
	if runtime.GOOS == "js" {
		config.Transport = "worker"
	}
	f.IntVar(&config.Threads, "threads", 1, "search threads")
	f.IntVar(&config.Hash, "hash", uci.DefaultHash, "transposition table in MiB")
	tables := f.String("syzygy", "", "`directories` of endgame tables, between them ; or :")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(out, "tabula board [flags]: answer messages in JSON, one a line, as docs/web.md describes them\n\n"+flags.Help(f))
		return err
	case err != nil:
		return command.WrongUsef("board: %w; see board --help", err)
	case f.NArg() > 0:
		return command.WrongUsef("board: unexpected argument %.40q; see board --help", f.Arg(0))
	}
	config.Tables = syzygy.SplitPath(*tables)
	b, err := session.New(config)
	if err != nil {
		return command.WrongUsef("board: %w", err)
	}
	defer b.Close()
	err = b.Stream(ctx, in, out)
	if ctx.Err() != nil {
		return command.ErrInterrupted
	}
	return err
}
