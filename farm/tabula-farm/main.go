// Command tabula-farm lets many machines do one piece of work:
//
//	go run ./farm/tabula-farm hub --dir DIR --listen HOST:PORT   the centre
//	go run ./farm/tabula-farm work --hub nats://HOST:PORT        a worker
//	go run ./farm/tabula-farm perft --hub nats://HOST:PORT --depth 9
//	go run ./farm/tabula-farm list --hub nats://HOST:PORT        runs and workers
//
// Without --hub a command has a hub of its own in the process and works on the cores of this machine. A command that
// was interrupted or killed goes on where it was when it is given again. docs/farm.md has the rest.
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
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
	wk "github.com/tabula-chess/tabula/work"
)

func main() { command.Main(program) }

// What tests replace: the times of messages, and kinds of work that they add, whose workers need no engine.
var (
	times     = run.Usual()
	testKinds []kind
)

func program(out, errOut io.Writer) *cli.Command {
	commands := []*cli.Command{hubCommand(), workCommand()}
	for _, k := range kinds() {
		commands = append(commands, k.command())
	}
	return &cli.Command{
		Name: "tabula-farm", Usage: "let many machines do one piece of work",
		Description: "A run is a piece of work that is split into jobs: perft, datagen, match, tune and annotate start\n" +
			"one. A hub distributes the jobs, workers do them, and the command that started the run combines the\n" +
			"results. Without --hub it does all of that on this machine. To use several: tabula-farm hub on one of\n" +
			"them, tabula-farm work --hub URL on each, and then a command with --hub URL. The other commands are\n" +
			"for operators: list shows what runs.",
		Writer: out, ErrWriter: errOut, Commands: append(commands, operatorCommands()...),
	}
}

// hubFlags say where the farm is; more is added to the help of the address.
func hubFlags(more string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hub", Usage: "`URL` of a hub or a NATS cluster, nats://HOST:PORT" + more},
		&cli.StringFlag{
			Name: "key", Sources: cli.EnvVars("TABULA_FARM_KEY"),
			Usage: "`FILE` with the key of a worker or owner; needed where the hub is on another machine",
		},
	}
}

func machineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "dir", Usage: "`DIR` of engines and key (default: tabula-farm in the user's cache directory)"},
		&cli.IntFlag{
			Name: "cores", Value: runtime.NumCPU(), Usage: "do `N` jobs at a time", Validator: command.Between(1, 4096),
		},
	}
}

// place is what a command knows of this machine. What is computed does not depend on it.
type place struct {
	dir    string
	cores  int
	nps    float64 // of one core, 0 for the reference
	owns   bool    // outputs are in a directory of the farm's own
	errOut io.Writer
	log    *slog.Logger
}

// placeOf reads the flags of machineFlags.
func placeOf(cmd *cli.Command) (p place, err error) {
	p = place{cores: cmd.Int("cores"), dir: cmd.String("dir"), errOut: cmd.Root().ErrWriter, log: logger(cmd)}
	if p.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return p, exit.WrongUsef("--dir: this user has no cache directory: %w", err)
		}
		p.dir = filepath.Join(cache, "tabula-farm")
	}
	p.dir, err = filepath.Abs(p.dir)
	return p, errors.Join(err, os.MkdirAll(p.dir, 0o700))
}

// env returns what kinds of work know of this machine.
func (p place) env() wk.Env { return wk.Env{Dir: p.dir, NPS: p.nps, Foreign: true} }

func (p place) open(m *run.Manifest) (run.Kind, error) {
	for _, k := range kinds() {
		if k.name == m.Kind && k.version == m.Version {
			kind := k.empty(p)
			return kind, m.Read(kind)
		}
	}
	return nil, fmt.Errorf("this program does not know %s of version %d: it is older or newer than what started the run",
		m.Kind, m.Version)
}

// machine returns what this machine tells of itself. With an engine it measures the speed of all cores at work.
func (p place) machine(ctx context.Context, engine bool) (run.Machine, error) {
	m := run.Machine{Kinds: map[string]int{}, Host: hostname(), Cores: p.cores, Commit: version.Commit()}
	m.Path = movegen.DefaultPath().String()
	for _, k := range kinds() {
		m.Kinds[k.name] = k.version
	}
	if !engine {
		return m, nil
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	failed := ctx.Err()
	for range p.cores {
		all.Go(func() {
			began := time.Now()
			nodes, _, err := search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			m.Bench, m.NPS = nodes, m.NPS+float64(nodes)/time.Since(began).Seconds()/float64(p.cores)
		})
	}
	all.Wait()
	return m, failed
}

func logger(cmd *cli.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.Root().ErrWriter, nil))
}

// dial connects to the farm of --hub with the key of --key, of a role, or without --key with that of a file, which may
// be "" for none. While the hub is away it waits for a time.
func dial(ctx context.Context, cmd *cli.Command, role, file string, bound time.Duration) (*run.Conn, error) {
	o := run.Options{URL: cmd.String("hub"), Log: logger(cmd)}
	if o.URL == "" {
		return nil, exit.WrongUsef("--hub: want the URL of a hub, nats://HOST:PORT")
	}
	for one := range strings.SplitSeq(o.URL, ",") {
		if u, err := url.Parse(one); err != nil || u.Hostname() == "" {
			return nil, exit.WrongUsef("--hub %q: want nats://HOST:PORT", one)
		}
	}
	var err error
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
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
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
			"interrupted or drained. Where the hub is on another machine it needs a key, which the operator makes\n" +
			"with tabula-farm enrol.",
		Flags: append(hubFlags("; required"), machineFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			at, err := placeOf(cmd)
			if err != nil {
				return err
			}
			conn, err := dial(ctx, cmd, run.RoleWorker, filepath.Join(at.dir, "worker.key"), run.Forever)
			if err != nil {
				return fmt.Errorf("work: %w", err)
			}
			defer conn.Close()
			m, err := at.machine(ctx, testKinds == nil)
			if err != nil {
				return err
			}
			at.nps = m.NPS
			at.log.Info("connected", "hub", cmd.String("hub"), "cores", m.Cores, "nps", int(m.NPS), "key", conn.Key,
				"engines with network", !match.NoNetwork())
			err = run.Work(ctx, run.WorkConfig{Conn: conn, Machine: m, Open: at.open, Times: times, Log: at.log})
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("work: %w", err)
			}
			return nil
		},
	}
}
