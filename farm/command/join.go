package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/build"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// home returns the directory of homeFlag. It is absolute: engines are started in other
// folders.
func home(cmd *cli.Command) (string, error) {
	if dir := cmd.String("dir"); dir != "" {
		return filepath.Abs(dir)
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

// keyOf returns the key of --key, a zero one where there is none.
func keyOf(cmd *cli.Command) (k link.Key, err error) {
	if name := cmd.String("key"); name != "" {
		if k, err = link.ReadKey(name); err != nil {
			err = command.WrongUsef("--key: %w", err)
		}
	}
	return k, err
}

// dialOwner connects as an owner. It returns when the connection is there, or gives up
// after a time.
func dialOwner(ctx context.Context, cmd *cli.Command, bound time.Duration) (*link.Conn, error) {
	key, err := keyOf(cmd)
	if err != nil {
		return nil, err
	}
	if key.Role == link.RoleWorker {
		return nil, command.WrongUsef("--key: this is a worker's: want the owner's, own.key in the hub's directory")
	}
	return dial(ctx, cmd, link.Options{Key: key}, bound)
}

// dial connects as options say.
func dial(ctx context.Context, cmd *cli.Command, o link.Options, bound time.Duration) (*link.Conn, error) {
	o.URL, o.Name, o.Log = cmd.String("hub"), cmd.Name, logger(cmd.Root().ErrWriter)
	if o.URL == "" {
		return nil, command.WrongUsef("--hub: want the URL of a hub, nats://HOST:PORT")
	}
	if err := link.CheckURL(o.URL); err != nil {
		return nil, command.WrongUsef("--hub %w", err)
	}
	return link.Dial(ctx, o, bound)
}

// owner returns who starts a run, as lists show it.
func owner() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return name + "@" + hostname()
}

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}

// machine returns what this machine tells of itself. With an engine it measures the speed
// of all cores at work.
func machine(ctx context.Context, cores int, engine bool) (link.Machine, error) {
	m := link.Machine{Kinds: versions(), Host: hostname(), Cores: cores, Commit: command.Commit(), Path: movegen.DefaultPath().String()}
	if !engine {
		return m, nil
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed error
	for range min(cores, 64) {
		all.Go(func() {
			began := time.Now()
			nodes, _, err := search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			m.Bench, m.NPS = nodes, m.NPS+float64(nodes)/time.Since(began).Seconds()/float64(min(cores, 64))
		})
	}
	all.Wait()
	return m, errors.Join(failed, ctx.Err())
}

// settingsOf reads the settings of the machine.
func settingsOf(cmd *cli.Command) (settings, error) {
	if err := checkCores(cmd); err != nil {
		return settings{}, err
	}
	dir, err := home(cmd)
	return settings{cache: build.NewCache(filepath.Join(dir, "engines")), tables: filepath.Join(dir, "tables")}, err
}

// workCommand describes "farm work".
func workCommand() *cli.Command {
	return &cli.Command{
		Name:  "work",
		Usage: "work for a hub",
		Description: "Joins the farm, measures its speed, does one job for each core at a time and goes on until it is interrupted or\n" +
			"drained. Beyond loopback it needs a key, which the operator makes with farm enrol.",
		Flags:  append(hubFlags("; required"), machineFlags()...),
		Action: runWork,
	}
}

// runWork carries "farm work" out.
func runWork(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	own, err := settingsOf(cmd)
	if err != nil {
		return err
	}
	dir, err := home(cmd)
	if err != nil {
		return err
	}
	key, err := keyOf(cmd)
	if err != nil {
		return err
	}
	if key.Role == link.RoleOwner {
		return command.WrongUsef("--key: this is the owner's: want a worker's, which farm enrol makes")
	}
	h, err := work.OpenHome(filepath.Join(dir, "worker"))
	if err != nil {
		return err
	}
	defer h.Close()
	if key.Pair == nil {
		if key, err = link.OwnKey(filepath.Join(dir, "worker.key"), link.RoleWorker, ""); err != nil {
			return err
		}
	}
	conn, err := dial(ctx, cmd, link.Options{Key: key, Machine: h.Machine}, link.Forever)
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	defer conn.Close()
	log := logger(cmd.Root().ErrWriter)
	m, err := machine(ctx, cmd.Int("cores"), true)
	if err != nil {
		return err
	}
	own.nps = m.NPS
	log.Info("works", "hub", cmd.String("hub"), "cores", m.Cores, "nps", int(m.NPS), "worker", conn.Worker(), "home", h.Dir, "network of engines", !build.NoNetwork())
	if err := work.Run(ctx, work.Config{
		Conn: conn, Home: h, Machine: m, Open: opener(own), Times: link.Usual(), Log: log,
		Free: func(running int) bool { return freeCore(m.Cores, running) },
	}); err != nil && ctx.Err() == nil {
		return fmt.Errorf("work: %w", err)
	}
	return nil
}

// freeCore reports whether a core is free for a game by the clock. cores is how many jobs
// the worker of this machine does at a time, running how many are under way: the worker and
// other programs together must not want more cores than there are. Where the system does
// not tell its load, other programs are not counted.
func freeCore(cores, running int) bool {
	others := 0.0
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		var load float64
		if _, err := fmt.Sscan(string(text), &load); err == nil {
			others = max(0, load-float64(running))
		}
	}
	// The load is a mean of a minute, in which jobs have begun and ended.
	return float64(min(cores, runtime.NumCPU()))+others < float64(runtime.NumCPU())+1
}
