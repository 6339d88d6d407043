// Command tabula-farm lets many machines do one piece of work. A run that was interrupted or killed goes on where it
// was when its command is given again. docs/farm.md has the first steps.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

func main() { command.Main(program) }

// What tests replace: the time after which a silent worker loses a job, 0 for the usual one, and kinds of work that
// they add, whose workers need no engine.
var (
	ackWait   time.Duration
	testKinds []launch.Kind
)

func program(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name: "tabula-farm", Usage: "let many machines do one piece of work",
		Description: "" +
			"A run is a piece of work that is split into jobs. A hub keeps the jobs, workers do them, and the command\n" +
			"that started the run combines the results: tabula-farm hub on one machine, tabula-farm work --hub URL\n" +
			"on each, and then tabula-farm run KIND --hub URL. The other commands are for operators.",
		Writer: out, ErrWriter: errOut,
		Commands: append([]*cli.Command{hubCommand(), workCommand(), runCommand()}, operatorCommands()...),
	}
}

func hubFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hub", Usage: "`URL` of the hub, nats://HOST:PORT; required"},
		&cli.StringFlag{Name: "key", Sources: cli.EnvVars("TABULA_FARM_KEY"),
			Usage: "`FILE` with the key of a worker or owner; needed where the hub is on another machine"},
	}
}

func dirFlag() cli.Flag {
	return &cli.StringFlag{Name: "dir",
		Usage: "`DIR` of engines and key (default: tabula-farm in the user's cache directory)"}
}

func dirOf(cmd *cli.Command) (dir string, err error) {
	if dir = cmd.String("dir"); dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", exit.WrongUsef("--dir: this user has no cache directory: %w", err)
		}
		dir = filepath.Join(cache, "tabula-farm")
	}
	dir, err = filepath.Abs(dir)
	return dir, errors.Join(err, os.MkdirAll(dir, 0o700))
}

// machine returns what this machine tells of itself. It measures the speed of all cores at work.
func machine(ctx context.Context, cores int) (m run.Machine, err error) {
	m = run.Machine{Host: hostname(), Cores: cores, Commit: version.Commit(), Path: movegen.DefaultPath().String()}
	if testKinds == nil {
		if m.Search, err = match.Signature(ctx); err == nil {
			m.NPS, err = match.Speed(ctx, cores)
		}
	}
	return m, err
}

func logger(cmd *cli.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.Root().ErrWriter, nil))
}

// dial connects to the farm of --hub with the key of --key, of a role, or without --key with that of a file, which may
// be "" for none. While the hub is away it waits for a time.
func dial(ctx context.Context, cmd *cli.Command, role, file string, bound time.Duration) (*run.Conn, error) {
	o := run.ConnectOptions{URL: cmd.String("hub"), AckWait: ackWait, Log: logger(cmd)}
	u, err := url.Parse(o.URL)
	if err != nil || u.Hostname() == "" {
		return nil, exit.WrongUsef("--hub %q: want nats://HOST:PORT", o.URL)
	}
	switch name := cmd.String("key"); {
	case name != "":
		if o.Key, err = run.ReadKey(name); err == nil && o.Key.Role != role {
			err = errors.New("an owner needs DIR/own.key of the hub, a worker a key that tabula-farm enrol makes")
		}
		if err != nil {
			return nil, exit.WrongUsef("--key %s: %w", name, err)
		}
	case file != "":
		if o.Key, err = run.OwnKey(file, role, ""); err != nil {
			return nil, err
		}
	}
	return run.Dial(ctx, o, bound)
}

func asOwner(ctx context.Context, cmd *cli.Command, do func(context.Context, *run.Conn) error) error {
	c, err := dial(ctx, cmd, run.RoleOwner, "", 10*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}

func ownerName() string {
	return cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME"), "unknown") + "@" + hostname()
}

func hostname() string {
	host, _ := os.Hostname()
	return cmp.Or(host, "unknown")
}

func workCommand() *cli.Command {
	return &cli.Command{
		Name: "work", Usage: "do the jobs of a hub",
		Description: "Joins the farm, measures its speed, does one job for each core at a time and goes on until it is\n" +
			"interrupted or drained. If the hub is on another machine it needs a key, which tabula-farm enrol makes.",
		Flags: append(hubFlags(), dirFlag(), &cli.IntFlag{
			Name: "cores", Value: runtime.NumCPU(), Usage: "do `N` jobs at a time", Validator: command.Between(1, 4096),
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			dir, err := dirOf(cmd)
			if err != nil {
				return err
			}
			conn, err := dial(ctx, cmd, run.RoleWorker, filepath.Join(dir, "worker.key"), run.Forever)
			if err != nil {
				return fmt.Errorf("work: %w", err)
			}
			defer conn.Close()
			m, err := machine(ctx, cmd.Int("cores"))
			if err != nil {
				return err
			}
			c := run.WorkConfig{Conn: conn, Machine: m, Types: types(), Log: logger(cmd),
				Env: work.Env{Dir: dir, NPS: m.NPS, Foreign: true}}
			c.Log.Info("connected", "hub", cmd.String("hub"), "cores", m.Cores, "nps", int(m.NPS), "key", conn.Key,
				"engines with network", !match.NoNetwork())
			if err := run.Work(ctx, c); err != nil && ctx.Err() == nil {
				return fmt.Errorf("work: %w", err)
			}
			return nil
		},
	}
}
