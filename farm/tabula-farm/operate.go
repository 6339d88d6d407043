package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
)

func hubCommand() *cli.Command {
	return &cli.Command{
		Name:  "hub",
		Usage: "run the hub, to which workers and commands connect",
		Description: "Keeps results on its disk and distributes the jobs of all runs. On a loopback address clients\n" +
			"need no key; on any other the hub demands TLS and keys: DIR/own.key is its owner's, and tabula-farm enrol makes\n" +
			"keys for workers. With --hub it keeps nothing itself and distributes the jobs of a farm whose streams\n" +
			"are on a NATS cluster.",
		Flags: append(hubFlags(": serve the workers of a farm on a NATS cluster"),
			&cli.StringFlag{Name: "dir", Value: "farm-hub", Usage: "`DIR` of results and secrets, of this hub alone"},
			&cli.StringFlag{
				Name: "listen", Value: "127.0.0.1:4222", Usage: "`HOST:PORT` for workers and commands", Validator: checkListen,
			},
			&cli.StringFlag{Name: "http", Value: "127.0.0.1:8222", Usage: "`HOST:PORT` of the page and its data; \"\" for none"},
			&cli.IntFlag{
				Name: "store", Validator: command.Between(1, 1<<30),
				Usage: "`MIB` that results may take on the disk (default: three quarters of what was free at its first start)",
			},
		),
		Action: runHub,
	}
}

// checkListen refuses what is no address; none at all would be a hub that nobody reaches.
func checkListen(address string) error {
	if address == "" {
		return errors.New("want HOST:PORT")
	} else if _, err := net.ResolveTCPAddr("tcp", address); err != nil {
		return fmt.Errorf("want HOST:PORT: %w", err)
	}
	return nil
}

func runHub(ctx context.Context, cmd *cli.Command) error {
	dir, err := filepath.Abs(cmd.String("dir"))
	if err = errors.Join(err, command.NoArguments(cmd)); err != nil {
		return err
	}
	page := new(hub.Page)
	c := hub.Config{
		Dir: dir, Listen: cmd.String("listen"), Times: times, Log: logger(cmd), Seen: page.See,
		Store: int64(cmd.Int("store")) << 20,
	}
	if cmd.String("hub") != "" {
		if c.Conn, err = dial(ctx, cmd, run.RoleOwner, "", run.Forever); err != nil {
			return err
		}
	}
	h, err := hub.Start(ctx, c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	if err = servePage(ctx, cmd, page, h.Conn, dir, &all); err == nil {
		out := cmd.Root().Writer
		fmt.Fprintf(out, "hub at %s, directory %s\n", h.Addr(), cmd.String("dir"))
		if h.Guarded() {
			fmt.Fprintf(out, "key of its owner: %s\n", filepath.Join(cmd.String("dir"), "own.key"))
		}
		err = h.Wait(ctx)
	}
	cancel()
	all.Wait()
	return errors.Join(err, h.Close())
}

// servePage serves the page of a farm, where it is wanted, and owns the runs that are started there.
func servePage(ctx context.Context, cmd *cli.Command, p *hub.Page, c *run.Conn, dir string, all *sync.WaitGroup) error {
	at := place{dir: filepath.Join(dir, "machine"), owns: true, errOut: cmd.Root().ErrWriter, log: logger(cmd)}
	o := &orders{ctx: ctx, conn: c, dir: filepath.Join(dir, "runs"), at: at, all: all}
	if err := o.resume(); err != nil || cmd.String("http") == "" {
		return err
	}
	listener, err := net.Listen("tcp", cmd.String("http"))
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	token, err := run.Secret(filepath.Join(dir, "page.token"), func() ([]byte, error) { return []byte(rand.Text()), nil })
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	p.Conn, p.Token, p.Submit, p.Files = c, strings.TrimSpace(string(token)), o.submit, o.dir
	p.Local = listener.Addr().(*net.TCPAddr).IP.IsLoopback()
	server := &http.Server{Handler: p.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 10 * time.Minute}
	all.Go(func() { <-ctx.Done(); server.Close() })
	go func() { _ = server.Serve(listener) }() // until it is closed
	fmt.Fprintf(cmd.Root().Writer, "page at http://%s/\n", listener.Addr())
	return nil
}

// orders are the runs that were started on the page. The hub is their owner, and the next hub goes on with those that
// are not over.
type orders struct {
	ctx  context.Context
	conn *run.Conn
	dir  string // of their files
	at   place
	all  *sync.WaitGroup
}

// pageOwner is the owner of the runs that were started on the page. No person is called so.
const pageOwner = "the page"

// endings are those of the files that collect what the jobs come to, by the kinds of runs that the page starts.
var endings = map[string]string{"match": ".pgn", "datagen": ".tbg"}

func (o *orders) resume() error {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	runs, err := run.All[run.Record](o.ctx, o.conn.Runs, "")
	for id, one := range runs {
		r := one.Value
		if r.Owner != pageOwner || r.Ended != nil && (r.Written || r.Ended.Failed != "") {
			continue
		}
		m, err := run.ParseManifest(id, r.Manifest)
		out, bad := run.OpenOutput(filepath.Join(o.dir, r.Name)+endings[r.Kind], true)
		if err = errors.Join(err, bad); err != nil {
			o.at.log.Error("a run that was started on the page cannot go on", "name", r.Name, "error", err)
			continue
		}
		o.see(run.Order{Manifest: m, Name: r.Name, Open: o.at.open, Out: out, Log: o.at.log})
	}
	return err
}

// submit starts a run. It returns when the run is in the queue, after engines were built.
func (o *orders) submit(text []byte) error {
	var s spec
	_ = json.Unmarshal(text, &s) // for its kind; the errors are found below
	if endings[s.Kind] == "" {
		return fmt.Errorf("kind %q: want match or datagen", s.Kind)
	}
	k := kinds()[slices.IndexFunc(kinds(), func(k kind) bool { return k.name == s.Kind })]
	s = k.defaults
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(&s); err != nil {
		return err
	}
	if err := run.CheckName(s.Name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	for _, ending := range endings {
		if old, err := filepath.Glob(filepath.Join(o.dir, s.Name) + ending + "*"); err != nil || len(old) > 0 {
			return fmt.Errorf("name %q: a run has it already", s.Name)
		}
	}
	s.Out = filepath.Join(o.dir, s.Name) + endings[s.Kind]
	p, err := k.prepare(o.ctx, &s, o.at)
	if err != nil {
		return err
	}
	p.Owner = pageOwner
	return <-o.see(p)
}

// see sees a run through. What it returns tells that the run has begun, or why it cannot.
func (o *orders) see(p run.Order) <-chan error {
	begun := make(chan error, 2) // and its end
	first := sync.OnceFunc(func() { begun <- nil })
	p.Report = func(run.Outcome) { first() }
	o.all.Go(func() {
		_, err := run.Start(o.ctx, o.conn, p)
		if err = errors.Join(err, p.Out.Close(err == nil)); err == nil {
			err = o.conn.ChangeRun(o.ctx, p.Manifest.ID(), func(r *run.Record) { r.Written = true })
		}
		if err != nil && o.ctx.Err() == nil {
			o.at.log.Error("a run that was started on the page failed", "name", p.Name, "error", err)
		}
		begun <- err
	})
	return begun
}

func operatorCommands() (all []*cli.Command) {
	for _, o := range run.Operations() {
		all = append(all, &cli.Command{
			Name: o.Name, Usage: o.Usage, ArgsUsage: o.Args, Flags: hubFlags("; required"),
			Action: func(ctx context.Context, cmd *cli.Command) error {
				if n := cmd.NArg(); n < o.Least || n > o.Most {
					return exit.WrongUsef("%s: want %s", o.Name, o.Args)
				}
				return asOwner(ctx, cmd, func(ctx context.Context, c *run.Conn) error {
					return c.DoOperation(ctx, ownerName(), append([]string{o.Name}, cmd.Args().Slice()...)...)
				})
			},
		})
	}
	return append(all, listCommand(), enrolCommand())
}

func enrolCommand() *cli.Command {
	return &cli.Command{
		Name: "enrol", Usage: "make a key with which a machine can work for the hub", ArgsUsage: "NAME",
		Description: "Writes NAME.key, for tabula-farm work --key NAME.key. Whoever has the key can report results; keep it secret.\n" +
			"For a NATS cluster, --accounts FILE writes the part of its configuration that lets all keys beside FILE in.",
		Flags: append(hubFlags("; required without --accounts"), &cli.StringFlag{
			Name: "accounts", Usage: "`FILE` that the configuration of a cluster's servers includes",
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			if err := run.CheckName(filepath.Base(name)); cmd.NArg() != 1 || err != nil {
				return exit.WrongUsef("enrol: want one name of letters, digits and _ . + -")
			}
			if file := cmd.String("accounts"); file != "" {
				return enrolInCluster(file, name)
			}
			return asOwner(ctx, cmd, func(ctx context.Context, c *run.Conn) error { return c.Enrol(ctx, name) })
		},
	}
}

// enrolInCluster makes a worker's key and, where it is missing, own.key beside the file of accounts, and writes the
// accounts of all keys there.
func enrolInCluster(file, name string) error {
	dir := filepath.Dir(file)
	_, err := run.OwnKey(filepath.Join(dir, "own.key"), run.RoleOwner, "")
	if err == nil {
		_, err = run.OwnKey(filepath.Join(dir, filepath.Base(name)+".key"), run.RoleWorker, "")
	}
	if err != nil {
		return err
	}
	var owners, workers []string
	names, err := filepath.Glob(filepath.Join(dir, "*.key"))
	for _, name := range names {
		k, err := run.ReadKey(name)
		if err != nil {
			return err
		}
		if publish, subscribe := run.WorkerRights(k.Public); k.Role == run.RoleOwner {
			owners = append(owners, fmt.Sprintf("{ nkey: %s }", k.Public))
		} else {
			workers = append(workers,
				fmt.Sprintf("{ nkey: %s, permissions: { publish: %q, subscribe: %q } }", k.Public, publish, subscribe))
		}
	}
	if err != nil {
		return err
	}
	return files.Write(file, fmt.Appendf(nil, `accounts {
  FARM { jetstream: enabled, exports: [ { service: "gate.>" } ], users: [
    %s ] }
  WORKERS { imports: [ { service: { account: FARM, subject: "gate.>" } } ], users: [
    %s ] }
}
max_payload: %d
`, strings.Join(owners, "\n    "), strings.Join(workers, "\n    "), run.MaxPayload))
}

func listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "show runs and workers, and what each run waits for", Flags: hubFlags("; required"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			return asOwner(ctx, cmd, func(ctx context.Context, c *run.Conn) error {
				v, err := c.View(ctx)
				if err == nil {
					err = list(cmd.Root().Writer, v, cmd.String("hub"))
				}
				return err
			})
		},
	}
}

func list(out io.Writer, v *run.View, hub string) error {
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if v.Full != "" {
		fmt.Fprintf(t, "%s\n\n", v.Full)
	}
	if len(v.Runs) == 0 {
		fmt.Fprintf(t, "no runs: start one, as with tabula-farm perft --hub %s --depth 7\n", hub)
	} else {
		fmt.Fprintln(t, "RUN\tID\tKIND\tOWNER\tPRIORITY\tSHARE\tJOBS\tLEFT\tWHAT")
	}
	for _, r := range v.Runs {
		left := "-"
		if r.Ended != nil {
			left, r.Waits = "over", r.Ended.Failed
		} else if r.Left > 0 {
			left = time.Duration(r.Left * float64(time.Second)).Round(time.Second).String()
		}
		fmt.Fprintf(t, "%s\t%.8s\t%s\t%s\t%d\t%v\t%d/%d\t%s\t%s\n",
			r.Name, r.Run, r.Kind, r.Owner, r.Priority, r.Share, r.Folded, r.Jobs, left, r.Title)
		for _, text := range []string{r.Text, r.Waits} {
			if text != "" {
				fmt.Fprintf(t, "  %s\n", text)
			}
		}
	}
	if len(v.Workers) == 0 {
		fmt.Fprintf(t, "\nno workers: start tabula-farm work --hub %s on each machine, "+
			"with a --key that tabula-farm enrol makes unless it is the hub's\n", hub)
	} else {
		fmt.Fprintln(t, "\nWORKER\tHOST\tKEY\tCORES\tNODES/S\tDONE\tRUNNING\tKERNELS\tCOMMIT\tSTATE")
	}
	for _, w := range v.Workers {
		state := w.Note
		switch {
		case w.Ban != "":
			state = "banned: " + w.Ban
		case w.Silent > 30:
			state = fmt.Sprintf("silent for %.0f s", w.Silent)
		case w.Failed != "" && state == "":
			state = "last failure: " + w.Failed
		}
		fmt.Fprintf(t, "%s\t%s\t%.8s\t%d\t%.0f\t%d\t%d\t%s\t%.10s\t%s\n",
			cmp.Or(w.Name, "-"), w.Host, w.ID, w.Cores, w.NPS, w.Done, w.Running, w.Path, w.Commit, state)
	}
	for key, b := range v.Bans {
		if !slices.ContainsFunc(v.Workers, func(w run.WorkerView) bool { return w.ID == key }) {
			fmt.Fprintf(t, "banned: %s, %s, since %s\n", key, b.Text, b.At.Format(time.DateTime))
		}
	}
	return t.Flush()
}
