//go:build !js

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	hosts "github.com/tabula-chess/tabula/internal/guard"
	"github.com/tabula-chess/tabula/internal/machine"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/syzygy"
)

// settings hold the values of the flags.
type settings struct {
	listen   string
	hosts    []string
	sessions int
	patience time.Duration
	config   session.Config
}

// Command returns the command, which serves until its context ends and then returns
// exit.ErrInterrupted.
func Command() *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "play, analyse and review in a browser, or by messages over HTTP",
		Description: `Prints the address to open. The server is for this machine; for others, put a proxy in front of it that
holds the certificate and asks for passwords, and give its name with --host. docs/web.md says more about it, and describes
the messages that programs can send.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8080", Usage: "listen at `ADDRESS`, HOST:PORT"},
			&cli.StringFlag{Name: "host", Usage: "`NAMES` under which a proxy reaches this server, separated by commas"},
			&cli.IntFlag{Name: "sessions", Value: 32, Usage: "maximum number of clients; idle ones give way",
				Validator: command.Between(1, 10_000)},
			&cli.IntFlag{Name: "engines", Value: 1, Usage: "number of searches at the same time; clients take turns",
				Validator: command.Between(1, 1024)},
			&cli.IntFlag{Name: "threads", Usage: "total threads of all engines (default: the number of cores)"},
			&cli.IntFlag{Name: "hash", Value: 256, Usage: "total size of the engines' transposition tables in `MIB`",
				Validator: command.AtLeast(1)},
			&cli.DurationFlag{Name: "search", Value: time.Hour, Usage: "maximum search time of one request",
				Validator: command.AtLeast(time.Second)},
			&cli.StringFlag{Name: "syzygy", Usage: "`DIRECTORIES` with more endgame tables, separated by ; or :"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s, err := parse(cmd)
			if err != nil {
				return exit.WrongUsef("serve: %w", err)
			}
			s.config.Warn = command.Warn(cmd.Root().ErrWriter)
			return run(ctx, s, cmd.Root().Writer)
		},
	}
}

// run serves until ctx ends.
func run(ctx context.Context, s *settings, out io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	srv, err := newServer(s, listener)
	if err != nil {
		return errors.Join(exit.WrongUsef("serve: %w", err), listener.Close())
	}
	machine.Reserve()
	if _, err := fmt.Fprintln(out, srv.greeting()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := srv.run(ctx); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return exit.ErrInterrupted
}

// parse reads the flags.
func parse(cmd *cli.Command) (*settings, error) {
	s := &settings{
		listen: cmd.String("listen"), sessions: cmd.Int("sessions"), patience: patience,
		hosts: strings.FieldsFunc(cmd.String("host"), func(r rune) bool { return r == ',' || r == ' ' }),
		config: session.Config{
			Version: version.Number, Transport: "server", Shared: true, Engines: cmd.Int("engines"), Threads: cmd.Int("threads"),
			Hash: cmd.Int("hash"), Search: cmd.Duration("search"), Tables: syzygy.SplitPath(cmd.String("syzygy")),
		},
	}
	if s.config.Threads == 0 {
		s.config.Threads = max(machine.Cores(), s.config.Engines)
	}
	for _, name := range s.hosts {
		if err := hosts.CheckName(name); err != nil {
			return nil, fmt.Errorf("--host: %w", err)
		}
	}
	switch c := &s.config; {
	case cmd.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %.40q; see serve --help", cmd.Args().First())
	case c.Threads < c.Engines:
		return nil, fmt.Errorf("--threads %d, want at least one for each of %s", c.Threads, plural.Of(c.Engines, "engine"))
	case c.Hash < c.Engines:
		return nil, fmt.Errorf("--hash %d, want at least 1 for each of %s", c.Hash, plural.Of(c.Engines, "engine"))
	}
	s.config.Threads /= s.config.Engines
	s.config.Hash /= s.config.Engines
	address, err := net.ResolveTCPAddr("tcp", s.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	if !address.IP.IsLoopback() && len(s.hosts) == 0 {
		return nil, fmt.Errorf("--listen %s reaches beyond this machine, where the server knows nobody; "+
			"want an address of this machine, or --host with the name of a proxy that asks for passwords", s.listen)
	}
	if len(s.hosts) == 0 { // others do not see a user's games
		if dir, err := games.DefaultDir(); err == nil {
			s.config.Home = filepath.Dir(dir)
		}
	}
	return s, nil
}
