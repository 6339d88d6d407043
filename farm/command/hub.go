package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/dashboard"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/link"
)

// hubCommand describes "farm hub".
func hubCommand() *cli.Command {
	return &cli.Command{
		Name:  "hub",
		Usage: "be the centre of a farm",
		Description: "Keeps results on its disk and distributes the jobs of all runs. On a loopback address it asks for nothing; beyond,\n" +
			"it demands TLS and keys: DIR/own.key lets its owner in, and farm enrol makes keys for workers. With --hub it\n" +
			"keeps nothing itself and distributes the jobs of a farm whose streams are on a NATS cluster.",
		Flags: append(hubFlags(": coordinate the farm of a NATS cluster"),
			&cli.StringFlag{Name: "dir", Value: "farm-hub", Usage: "`DIR` of results and secrets, of this hub alone"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4222", Usage: "`HOST:PORT` for workers and commands"},
			&cli.StringFlag{Name: "http", Value: "127.0.0.1:8222", Usage: "`HOST:PORT` of the page (/), its data (/api/) and figures for Prometheus (/metrics); \"\" for none"},
			&cli.BoolFlag{Name: "private", Usage: "show the page to operators alone: those who have the token in DIR/page.token"},
			&cli.IntFlag{Name: "store", Usage: "`MIB` that results may take on the disk (default: three quarters of what is free)"},
			&cli.IntFlag{Name: "keep", Value: 30, Usage: "forget a run that has been over for `DAYS`; 0 for never"},
		),
		Action: runHub,
	}
}

// checkHub returns an error of use for flags out of range.
func checkHub(cmd *cli.Command) error {
	if n := cmd.Int("store"); n < 0 || n > math.MaxInt64>>20 {
		return command.WrongUsef("--store %d: want 0 to %d MiB", n, math.MaxInt64>>20)
	}
	if n := cmd.Int("keep"); n < 0 || n > 36500 {
		return command.WrongUsef("--keep %d: want 0 to 36500 days", n)
	}
	for _, flag := range []string{"listen", "http"} {
		at := cmd.String(flag)
		_, port, err := net.SplitHostPort(at)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil && (at != "" || flag == "listen") {
			return command.WrongUsef("--%s %q: want HOST:PORT, the port a number of at most 65535", flag, at)
		}
	}
	return nil
}

// runHub carries "farm hub" out.
func runHub(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd, checkHub); err != nil {
		return err
	}
	var listener net.Listener
	if at := cmd.String("http"); at != "" {
		l, err := net.Listen("tcp", at)
		if err != nil {
			return fmt.Errorf("--http: %w", err)
		}
		defer l.Close()
		listener = l
	}
	board := dashboard.NewBoard()
	if cmd.String("hub") != "" {
		return runCoordinator(ctx, cmd, board, listener)
	}
	h, err := hub.Start(hub.Config{
		Dir: cmd.String("dir"), Listen: cmd.String("listen"), Open: opener(settings{}), Times: link.Usual(), Log: logger(cmd.Root().ErrWriter),
		Store: int64(cmd.Int("store")) << 20, Keep: keepTime(cmd), Report: board.Report,
	})
	if err != nil {
		return err
	}
	key := ""
	if h.Guarded() {
		key = hub.OwnKey(cmd.String("dir"))
	}
	runs, err := servePage(ctx, cmd, board, h.Conn, listener, ownHub(cmd, h.Addr(), key))
	if err != nil {
		return errors.Join(err, h.Close())
	}
	fmt.Fprintf(cmd.Root().Writer, "hub at %s, directory %s\n", h.Addr(), cmd.String("dir"))
	if h.Guarded() {
		fmt.Fprintf(cmd.Root().Writer, "key of its owner: %s\n", filepath.Clean(hub.OwnKey(cmd.String("dir"))))
	}
	err = h.Wait(ctx)
	runs.Wait()
	return errors.Join(err, h.Close())
}

// keepTime returns how long runs are kept that are over.
func keepTime(cmd *cli.Command) time.Duration { return time.Duration(cmd.Int("keep")) * 24 * time.Hour }

// runCoordinator coordinates the farm of a cluster.
func runCoordinator(ctx context.Context, cmd *cli.Command, board *dashboard.Board, listener net.Listener) error {
	conn, err := dialOwner(ctx, cmd, link.Forever)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Insist(ctx, insistence, conn.Ensure); err != nil {
		return err
	}
	if err := conn.View(ctx, new(coordinator.View)); !errors.Is(err, link.ErrNoCoordinator) {
		return fmt.Errorf("another coordinator is at work on %s (%w)", cmd.String("hub"), err)
	}
	if err := os.MkdirAll(cmd.String("dir"), 0o700); err != nil {
		return err
	}
	runs, err := servePage(ctx, cmd, board, conn, listener, ownHub(cmd, nil, ""))
	if err != nil {
		return err
	}
	defer runs.Wait()
	fmt.Fprintf(cmd.Root().Writer, "coordinates the farm at %s\n", cmd.String("hub"))
	return coordinator.Serve(ctx, conn, coordinator.Config{
		Open: opener(settings{}), Times: link.Usual(), Log: logger(cmd.Root().ErrWriter), Keep: keepTime(cmd),
	}, board.Report)
}

// servePage serves the page of a farm, if there is a listener for it, and carries out the runs
// that are submitted there, until ctx ends.
func servePage(ctx context.Context, cmd *cli.Command, board *dashboard.Board, conn *link.Conn, listener net.Listener, own []string) (*sync.WaitGroup, error) {
	runs, err := newSubmitted(ctx, cmd.String("dir"), own, cmd.Root().ErrWriter)
	if err != nil {
		return nil, err
	}
	if listener == nil {
		return &runs.all, nil
	}
	token, err := dashboard.Token(filepath.Join(cmd.String("dir"), "page.token"))
	if err != nil {
		return nil, err
	}
	at, ok := listener.Addr().(*net.TCPAddr)
	c := dashboard.Config{
		Local: ok && at.IP.IsLoopback(), Private: cmd.Bool("private"), Token: token, Submit: runs.submit, Submitted: runs.Submitted, Files: runs.dir,
		Operate: func(ctx context.Context, name string, args []string) error { return Operate(ctx, conn, name, args) },
	}
	server := &http.Server{Handler: board.Handler(c), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // until the listener is closed
	fmt.Fprintf(cmd.Root().Writer, "page at http://%s/\n", listener.Addr())
	return &runs.all, nil
}
