package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/dashboard"
	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// hubCommand describes "farm hub".
func hubCommand() *cli.Command {
	return &cli.Command{
		Name:  "hub",
		Usage: "be the centre of a farm",
		Description: "Keeps jobs and results on its disk and sees every run through. On a loopback address it asks for nothing; beyond,\n" +
			"it demands TLS and keys, and DIR/work.token and DIR/own.token let workers and owners in.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Value: "farm-hub", Usage: "`DIR` of results and secrets, of this hub alone"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4222", Usage: "`HOST:PORT` for workers and commands"},
			&cli.StringFlag{Name: "http", Value: "127.0.0.1:8222", Usage: "`HOST:PORT` of the page (/) and of the numbers for Prometheus (/metrics), both read-only; \"\" for none"},
			&cli.IntFlag{Name: "store", Usage: "`MIB` that results may take on the disk (default: three quarters of what is free)"},
		},
		Action: runHub,
	}
}

// runHub carries "farm hub" out.
func runHub(ctx context.Context, cmd *cli.Command) error {
	if err := tool.NoArguments(cmd); err != nil {
		return err
	}
	if n := cmd.Int("store"); n < 0 || n > math.MaxInt64>>20 {
		return command.WrongUsef("--store %d: want 0 to %d MiB", n, math.MaxInt64>>20)
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
	log := logger(cmd.Root().ErrWriter)
	board := dashboard.NewBoard()
	var listener net.Listener
	if at := cmd.String("http"); at != "" {
		l, err := net.Listen("tcp", at)
		if err != nil {
			return fmt.Errorf("--http: %w", err)
		}
		defer l.Close()
		listener = l
	}
	h, err := hub.Start(hub.Config{
		Dir: cmd.String("dir"), Listen: cmd.String("listen"), Open: opener(settings{perftHash: 1}), Times: times(), Log: log,
		Store: int64(cmd.Int("store")) << 20, Coordinator: true, Report: board.Report,
	})
	if err != nil {
		return err
	}
	if err := board.Listen(h.Conn); err != nil {
		return errors.Join(err, h.Close())
	}
	if listener != nil {
		at, ok := listener.Addr().(*net.TCPAddr)
		server := &http.Server{Handler: board.Handler(ok && at.IP.IsLoopback()), ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(listener) }() // until the listener is closed
		fmt.Fprintf(cmd.Root().Writer, "page at http://%s/\n", listener.Addr())
	}
	fmt.Fprintf(cmd.Root().Writer, "hub at %s, directory %s\n", h.Addr(), cmd.String("dir"))
	if h.Guarded() {
		for _, role := range []string{link.RoleWorker, link.RoleOwner} {
			fmt.Fprintf(cmd.Root().Writer, "token of role %s: %s\n", role, filepath.Clean(hub.TokenFile(cmd.String("dir"), role)))
		}
	}
	<-ctx.Done()
	return h.Close()
}

// workCommand describes "farm work".
func workCommand() *cli.Command {
	return &cli.Command{
		Name:        "work",
		Usage:       "work for a hub",
		Description: "Joins the farm, does one job for each core at a time and goes on until it is interrupted.",
		Flags:       append(hubFlags("; required"), homeFlag(), coresFlag(), perftHashFlag()),
		Action:      runWork,
	}
}
