package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/build"
	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/work"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// TokenVariable is the environment's place for a token, so that it need not
// stand on a command line.
const TokenVariable = "TABULA_FARM_TOKEN"

// hubFlags say where the hub is; all commands but hub share them. more is what
// the help says besides of the address.
func hubFlags(more string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hub", Usage: "`URL` of a hub or a NATS cluster, nats://HOST:PORT" + more},
		&cli.StringFlag{Name: "token", Usage: "`TOKEN` that the hub printed, or @FILE with it; needed beyond loopback (default: $" + TokenVariable + ")"},
		&cli.StringFlag{Name: "creds", Usage: "`FILE` of credentials for a NATS cluster that is no hub"},
	}
}

// homeFlag says where a machine keeps what is its own.
func homeFlag() cli.Flag {
	return &cli.StringFlag{Name: "dir", Usage: "`DIR` of this machine's results and keys (default: tabula-farm in the user's cache directory)"}
}

// home returns the directory of homeFlag.
func home(cmd *cli.Command) (string, error) {
	if dir := cmd.String("dir"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", command.WrongUsef("--dir: there is no cache directory to take for it: %w", err)
	}
	return filepath.Join(cache, "tabula-farm"), nil
}

// logger returns the log of a command.
func logger(out io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// dial connects as the flags say, as a worker where home is not nil. It returns
// when the connection is there, or gives up after a time.
func dial(ctx context.Context, cmd *cli.Command, home *work.Home, log *slog.Logger, bound time.Duration) (*link.Conn, error) {
	token, err := tokenOf(cmd)
	if err != nil {
		return nil, err
	}
	o := link.Options{URL: cmd.String("hub"), Name: cmd.Name, Token: token, Creds: cmd.String("creds"), Replicas: cmd.Int("replicas"), Log: log}
	if err := link.CheckURL(o.URL); err != nil {
		return nil, command.WrongUsef("--hub %w", err)
	}
	if o.Replicas < 0 || o.Replicas > 5 {
		return nil, command.WrongUsef("--replicas %d: want 1 to 5, or 0", o.Replicas)
	}
	if o.Creds != "" {
		if _, err := os.ReadFile(o.Creds); err != nil {
			return nil, command.WrongUsef("--creds: %w", err)
		}
	}
	if home != nil {
		o.Key = home.Key
	} else if token.Role == link.RoleWorker {
		return nil, command.WrongUsef("--token: this is a worker's: want the owner's, which the hub has written into %s", hub.TokenFile("DIR", link.RoleOwner))
	}
	c, err := link.Dial(o)
	if err != nil {
		return nil, err
	}
	if err := c.Wait(ctx, bound); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// tokenOf returns the token of the flag or the environment, none where there is
// none.
func tokenOf(cmd *cli.Command) (t link.Token, err error) {
	from, text := "--token", cmd.String("token")
	if text == "" {
		from, text = "$"+TokenVariable, os.Getenv(TokenVariable)
	}
	if name, ok := strings.CutPrefix(text, "@"); ok {
		file, err := os.ReadFile(name)
		if err != nil {
			return t, command.WrongUsef("%s: %w", from, err)
		}
		text = string(file)
	}
	if t, err = link.ParseToken(text); err != nil {
		return t, command.WrongUsef("%s: %w", from, err)
	}
	return t, nil
}

// ownerOf returns the connection of a command that begins a run, nil where it is
// to have a hub of its own.
func ownerOf(ctx context.Context, cmd *cli.Command) (*link.Conn, error) {
	if n := cmd.Int("cores"); n < 1 || n > maxCores {
		return nil, command.WrongUsef("--cores %d: want 1 to %d", n, maxCores)
	}
	if cmd.String("hub") == "" {
		return nil, nil
	}
	return dial(ctx, cmd, nil, logger(cmd.Root().ErrWriter), insistence)
}

// workerConfig returns how this machine works.
func workerConfig(c *link.Conn, h *work.Home, open run.Opener, cores int, log *slog.Logger) work.Config {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return work.Config{
		Conn: c, Home: h, Open: open, Cores: cores, Times: times(), Log: log, Host: host,
		Commit: command.Commit(), Path: movegen.DefaultPath().String(),
		Bench: func(context.Context) (uint64, error) {
			nodes, _, err := search.Bench(nnue.Embedded(), search.DefaultBench(), nil)
			return nodes, err
		},
	}
}

// times returns the times of the protocol.
func times() link.Times { return link.Usual() }

// maxCores bounds the jobs that a worker does at a time.
const maxCores = 4096

// coresFlag says how many jobs a machine does at a time.
func coresFlag() cli.Flag {
	return &cli.IntFlag{Name: "cores", Value: runtime.NumCPU(), Usage: "do `N` jobs at a time"}
}

// maxPerftHash bounds a table of counts in MiB.
const maxPerftHash = 1 << 20

// perftHashFlag is the one setting of a machine for counting.
func perftHashFlag() cli.Flag {
	return &cli.IntFlag{Name: "perft-hash", Value: 256, Usage: "remember counts in two tables of `MIB` each"}
}

// settingsOf reads the settings of the machine.
func settingsOf(cmd *cli.Command) (settings, error) {
	if n := cmd.Int("perft-hash"); n < 1 || n > maxPerftHash {
		return settings{}, command.WrongUsef("--perft-hash %d: want 1 to %d MiB", n, maxPerftHash)
	}
	dir, err := home(cmd)
	return settings{perftHash: cmd.Int("perft-hash"), cache: build.NewCache(filepath.Join(dir, "engines"))}, err
}

// runFlags are those of every command that begins a run.
func runFlags() []cli.Flag {
	return append(hubFlags(" (default: a hub in this process)"), homeFlag(), coresFlag(), perftHashFlag(),
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` of the run: with another one everything is done anew"},
		&cli.IntFlag{Name: "replicas", Usage: "keep everything on `N` servers of a NATS cluster (default: 3 in a cluster)"},
		&cli.BoolFlag{Name: "retry", Usage: "try again what an earlier run gave up"},
	)
}

// carryOut sees a run through, on the hub that conn leads to or, where it is nil,
// on one in this process, and returns where it ended. plan, if not nil, is used instead of the one that the
// manifest's kind opens: by commands that check and keep files. inputs are given to
// the workers.
func carryOut(ctx context.Context, cmd *cli.Command, conn *link.Conn, m *run.Manifest, plan run.Plan, inputs ...[]byte) (st coordinator.Status, err error) {
	errOut := cmd.Root().ErrWriter
	log := logger(errOut)
	own, err := settingsOf(cmd)
	if err != nil {
		return st, err
	}
	open := opener(own)
	if plan == nil {
		if plan, err = open(m); err != nil {
			return st, err
		}
	}
	s := coordinator.Config{Manifest: m, Plan: plan, Times: times(), Log: log, Owner: true}
	if conn == nil {
		return carryOutHere(ctx, cmd, s, open, inputs)
	}
	s.Conn = conn
	return see(ctx, cmd, s, inputs)
}

// carryOutHere sees a run through on a hub and a worker in this process.
func carryOutHere(ctx context.Context, cmd *cli.Command, s coordinator.Config, open run.Opener, inputs [][]byte) (st coordinator.Status, err error) {
	dir, err := home(cmd)
	if err != nil {
		return st, err
	}
	h, err := hub.Start(hub.Config{Dir: filepath.Join(dir, "hub"), Open: open, Times: s.Times, Log: s.Log})
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	worker, err := work.OpenHome(filepath.Join(dir, "worker"))
	if err != nil {
		return st, err
	}
	defer worker.Close()
	conn, err := link.Dial(link.Options{Name: "worker", Process: h, Key: worker.Key, Log: s.Log})
	if err != nil {
		return st, err
	}
	defer conn.Close()
	working, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	failed := make(chan error, 1)
	group.Go(func() {
		failed <- work.Run(working, workerConfig(conn, worker, open, cmd.Int("cores"), s.Log))
		stop()
	})
	s.Conn, s.Alone = h.Conn, true
	st, err = see(working, cmd, s, inputs)
	stop()
	group.Wait()
	if e := <-failed; err != nil && ctx.Err() == nil && !errors.Is(e, context.Canceled) {
		err = e
	}
	return st, err
}

// reportEvery is the time between two lines of a command that does not write to
// a terminal.
const reportEvery = 30 * time.Second

// see lets a coordinator see the run through and shows how far it is.
func see(ctx context.Context, cmd *cli.Command, s coordinator.Config, inputs [][]byte) (coordinator.Status, error) {
	errOut := cmd.Root().ErrWriter
	if err := prepare(ctx, cmd, s, inputs); err != nil {
		return coordinator.Status{}, err
	}
	bar := command.NewBar(errOut, int64(s.Manifest.Jobs), s.Manifest.Kind)
	defer bar.Close()
	next := time.Now().Add(reportEvery)
	s.Report = func(st coordinator.Status) {
		bar.Describe(st.Text)
		bar.Set(st.Agreed)
		if !command.Terminal(errOut) && time.Now().After(next) {
			fmt.Fprintln(errOut, st.Text)
			next = time.Now().Add(reportEvery)
		}
	}
	st, err := coordinator.Run(ctx, s)
	switch {
	case ctx.Err() != nil && cmd.String("hub") != "":
		return st, fmt.Errorf("%w at: %s; the hub goes on, and the same command shows it", command.ErrInterrupted, st.Text)
	case ctx.Err() != nil:
		return st, fmt.Errorf("%w at: %s; the same command goes on", command.ErrInterrupted, st.Text)
	case err != nil:
		return st, err
	case st.Failed != "":
		return st, fmt.Errorf("run %s: %s; --retry tries again", st.Run, st.Failed)
	case !st.Done:
		return st, fmt.Errorf("run %s was closed by somebody else at: %s", st.Run, st.Text)
	}
	return st, nil
}

// prepare makes the streams, reopens a run that failed, where that is asked for,
// and gives the workers their inputs.
func prepare(ctx context.Context, cmd *cli.Command, s coordinator.Config, inputs [][]byte) error {
	if err := insist(ctx, s.Conn, s.Conn.Ensure); err != nil {
		return err
	}
	id := s.Manifest.ID()
	var end link.End
	var ended bool
	err := insist(ctx, s.Conn, func(ctx context.Context) (err error) {
		end, ended, err = s.Conn.Ended(ctx, id)
		return err
	})
	if err == nil && ended && end.Failed != "" {
		if !cmd.Bool("retry") {
			return fmt.Errorf("run %s: %s; --retry tries again", id, end.Failed)
		}
		err = insist(ctx, s.Conn, func(ctx context.Context) error { return s.Conn.Reopen(ctx, id) })
	}
	for _, data := range inputs {
		if err == nil {
			err = insist(ctx, s.Conn, func(ctx context.Context) error { _, err := s.Conn.PutInput(ctx, data); return err })
		}
	}
	return err
}

// insistence is the time for which a hub may be away when a command begins.
const insistence = time.Minute

// forever is longer than any worker lives.
const forever = 1 << 62 * time.Nanosecond

// insist asks again where the hub is away or goes away, and gives up after a
// minute, not counting what it was busy with when it last worked: parts of a
// file that arrived stay there.
func insist(ctx context.Context, c *link.Conn, question func(context.Context) error) error {
	for began := time.Now(); ; {
		asked := time.Now()
		err := question(ctx)
		if err == nil {
			return nil
		}
		if time.Since(asked) > insistence {
			began = time.Now() // it was at work for long: a large file
		}
		if ctx.Err() == nil && time.Since(began) > insistence {
			return fmt.Errorf("the hub does not answer: %w", err)
		}
		c.Say(err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("the hub does not answer: %w", errors.Join(ctx.Err(), err))
		case <-c.Closed():
			return c.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}
