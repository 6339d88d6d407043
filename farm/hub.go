package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/tabula-farm/datagen"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/match"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// hubCommand describes "farm hub".
func hubCommand() *cli.Command {
	return &cli.Command{
		Name:  "hub",
		Usage: "be the centre of a farm",
		Description: "Keeps results on its disk and distributes the jobs of all runs. On a loopback address it asks for nothing; beyond,\n" +
			"it demands TLS and keys: DIR/own.key lets its owner in, and farm enrol makes keys for workers. With --hub it\n" +
			"keeps nothing itself and distributes the jobs of a farm whose streams are on a NATS cluster.",
		Flags: append(hubFlags(": serve the workers of a farm on a NATS cluster"),
			&cli.StringFlag{Name: "dir", Value: "farm-hub", Usage: "`DIR` of results and secrets, of this hub alone"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4222", Usage: "`HOST:PORT` for workers and commands"},
			&cli.StringFlag{Name: "http", Value: "127.0.0.1:8222", Usage: "`HOST:PORT` of the page (/) and its data (/api/); \"\" for none"},
			&cli.BoolFlag{Name: "private", Usage: "show the page to operators alone: those who have the token in DIR/page.token"},
			&cli.IntFlag{Name: "store", Usage: "`MIB` that results may take on the disk (default: three quarters of what is free)"},
		),
		Action: runHub,
	}
}

// runHub carries "farm hub" out.
func runHub(ctx context.Context, cmd *cli.Command) error {
	if n := cmd.Int("store"); n < 0 || n > 1<<30 {
		return exit.WrongUsef("--store %d: want 0 to %d MiB", n, 1<<30)
	}
	for _, flag := range []string{"listen", "http"} {
		at := cmd.String(flag)
		_, port, err := net.SplitHostPort(at)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil && (at != "" || flag == "listen") {
			return exit.WrongUsef("--%s %q: want HOST:PORT, the port a number of at most 65535", flag, at)
		}
	}
	dir, err := filepath.Abs(cmd.String("dir"))
	if err = errors.Join(err, command.NoArguments(cmd)); err != nil {
		return err
	}
	c := hub.Config{Dir: dir, Listen: cmd.String("listen"), Times: times, Log: logger(cmd), Store: int64(cmd.Int("store")) << 20}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer func() { cancel(); all.Wait() }()
	out := cmd.Root().Writer
	if cmd.String("hub") != "" {
		conn, err := dial(ctx, cmd, run.RoleOwner, run.Forever)
		if err != nil {
			return err
		}
		defer conn.Close()
		defer all.Wait()
		if err = errors.Join(conn.Retry(ctx, time.Minute, conn.Ensure), os.MkdirAll(dir, 0o700)); err == nil {
			all.Go(func() { hub.Serve(ctx, conn, c, false, func() {}) })
			err = servePage(ctx, cmd, conn, dir, &all)
		}
		if err == nil {
			fmt.Fprintf(out, "serves the workers of the farm at %s\n", cmd.String("hub"))
			<-ctx.Done()
		}
		cancel()
		return err
	}
	h, err := hub.Start(c)
	if err != nil {
		return err
	}
	if err = servePage(ctx, cmd, h.Conn, dir, &all); err == nil {
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
func servePage(ctx context.Context, cmd *cli.Command, conn *run.Conn, dir string, all *sync.WaitGroup) error {
	at := place{dir: filepath.Join(dir, "machine"), errOut: cmd.Root().ErrWriter, log: logger(cmd)}
	at.cache = match.NewCache(filepath.Join(at.dir, "engines"))
	o := &orders{ctx: ctx, conn: conn, dir: filepath.Join(dir, "runs"), at: at, all: all}
	if err := o.resume(); err != nil || cmd.String("http") == "" {
		return err
	}
	listener, err := net.Listen("tcp", cmd.String("http"))
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	p := &hub.Page{Conn: conn, Private: cmd.Bool("private"), Submit: o.submit, Files: o.dir}
	if p.Token, err = hub.Token(filepath.Join(dir, "page.token")); err != nil {
		return errors.Join(err, listener.Close())
	}
	addr, ok := listener.Addr().(*net.TCPAddr)
	p.Local = ok && addr.IP.IsLoopback()
	server := &http.Server{Handler: p.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second}
	all.Go(func() { p.Watch(ctx) })
	all.Go(func() { <-ctx.Done(); server.Close() })
	go func() { _ = server.Serve(listener) }() // until it is closed
	fmt.Fprintf(cmd.Root().Writer, "page at http://%s/\n", listener.Addr())
	return nil
}

// orders are the runs that were started on the page. The hub is their owner; one that is not over
// has a record in the farm, and goes on with the next hub.
type orders struct {
	ctx  context.Context
	conn *run.Conn
	dir  string // of their files
	at   place
	all  *sync.WaitGroup
}

// resume goes on with the runs that are not over.
func (o *orders) resume() error {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	open, err := run.All[spec](o.ctx, o.conn.Orders, ">")
	for _, one := range open {
		o.all.Go(func() {
			p, err := o.prepare(&one.Value)
			if err == nil {
				o.see(one.Key, p)
			} else if o.ctx.Err() == nil {
				o.at.log.Error("a run of the page cannot go on", "name", one.Key, "error", err)
			}
		})
	}
	return err
}

// submit starts a run. It returns when the run is in the queue, after engines were built.
func (o *orders) submit(text []byte) error {
	var s spec
	for _, k := range kinds() {
		if json.Unmarshal(text, &s) == nil && k.name == s.Kind {
			s = k.defaults
		}
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(&s); err != nil {
		return err
	}
	if err := run.CheckName(s.Name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	if s.TC != "" {
		s.Nodes = 0
	}
	if old, err := filepath.Glob(filepath.Join(o.dir, s.Name) + ".*"); err != nil || len(old) > 0 {
		return fmt.Errorf("name %q: there was a run of that name", s.Name)
	}
	p, err := o.prepare(&s)
	if err != nil {
		return err
	}
	value, err := json.Marshal(&s)
	if err == nil {
		_, err = o.conn.Orders.Create(o.ctx, s.Name, value)
	}
	if err != nil {
		return errors.Join(err, p.close())
	}
	o.all.Go(func() { o.see(s.Name, p) })
	return nil
}

// prepare makes a run of a spec.
func (o *orders) prepare(s *spec) (*order, error) {
	ending, ok := map[string]string{match.Kind: ".pgn", datagen.Kind: ".tbg"}[s.Kind]
	s.Out = filepath.Join(o.dir, s.Name) + ending
	for _, k := range kinds() {
		if ok && k.name == s.Kind {
			return k.prepare(o.ctx, s, o.at)
		}
	}
	return nil, fmt.Errorf("kind %q: want match or datagen", s.Kind)
}

// see sees a run through.
func (o *orders) see(name string, p *order) {
	_, err := run.Start(o.ctx, o.conn, p.Order)
	if err = errors.Join(err, p.close()); o.ctx.Err() != nil {
		return // the next hub goes on
	}
	if err != nil {
		o.at.log.Error("a run of the page", "name", name, "error", err)
	}
	if err := o.conn.Orders.Purge(o.ctx, name); err != nil {
		o.conn.Warn(err)
	}
}
