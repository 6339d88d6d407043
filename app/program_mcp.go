//go:build !js

package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/app/mcp"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/search"
)

// mcpCommand reads the command line of package mcp.
func mcpCommand(p *process) *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve the Model Context Protocol, so that a language model can use the engine",
		Description: `Speaks JSON-RPC on standard input and output, and is normally started by another program. The tools
set up positions, list legal moves, explain why a move is illegal, analyse, review games, look up endgame tables and
openings and, with --games, games of a database.`,
		Flags: []cli.Flag{
			annotate.HashFlag(64), annotate.TablesFlag(),
			&cli.StringFlag{Name: "games", Usage: "`DIRECTORY` of a database made by tabula games import"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			tables, err := openTables(cmd)
			if err != nil {
				return err
			}
			engine, err := search.NewEngine(cmd.Int("hash"))
			if err != nil {
				return exit.WrongUsef("--hash: %w", err)
			}
			defer engine.Close()
			engine.SetTables(tables)
			s := mcp.ServerSettings{Version: version.Number, Engine: engine, Tables: tables}
			if dir := cmd.String("games"); dir != "" {
				if s.Games, err = games.Open(dir); err != nil {
					return fmt.Errorf("--games: %w", err)
				}
				defer s.Games.Close()
			}
			command.Awaits(p.in, p.errOut, "mcp reads JSON-RPC until Ctrl-D")
			err = mcp.Run(ctx, s, p.in, writeCloser{p.out})
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		},
	}
}

// writeCloser is an output with a Close that does nothing.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }
