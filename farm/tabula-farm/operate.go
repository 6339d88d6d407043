package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
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
		Description: "Keeps jobs and results on its disk. On a loopback address clients need no key; on any other the hub\n" +
			"demands TLS and keys: DIR/own.key is its owner's, and tabula-farm enrol makes keys for workers.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Value: "farm-hub", Usage: "`DIR` of results and secrets, of this hub alone"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4222", Usage: "`HOST:PORT` for workers and commands"},
			&cli.StringFlag{Name: "http", Value: "127.0.0.1:8222", Usage: "`HOST:PORT` of the page and its data; \"\" for none"},
			&cli.IntFlag{
				Name: "store", Validator: command.Between(1, 1<<30),
				Usage: "`MIB` that results may take on the disk (default: three quarters of what was free at its first start)",
			},
		},
		Action: runHub,
	}
}

func runHub(ctx context.Context, cmd *cli.Command) error {
	if err := command.NoArguments(cmd); err != nil {
		return err
	}
	page, out := new(hub.Page), cmd.Root().Writer
	h, err := hub.Start(ctx, hub.ServerConfig{Dir: cmd.String("dir"), Listen: cmd.String("listen"), Log: logger(cmd),
		Store: int64(cmd.Int("store")) << 20, Seen: page.See})
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute}
	defer server.Close()
	if page.Conn = h.Conn; cmd.String("http") != "" {
		err = servePage(cmd, page, server)
	}
	if err == nil {
		fmt.Fprintf(out, "hub at %s, directory %s\n", h.Addr(), cmd.String("dir"))
		if h.Guarded() {
			fmt.Fprintf(out, "key of its owner: %s\n", filepath.Join(cmd.String("dir"), "own.key"))
		}
		err = h.Wait(ctx)
	}
	return errors.Join(err, h.Close())
}

func servePage(cmd *cli.Command, p *hub.Page, server *http.Server) error {
	token, err := files.Secret(filepath.Join(cmd.String("dir"), "page.token"),
		func() ([]byte, error) { return []byte(rand.Text()), nil })
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cmd.String("http"))
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	p.Token, p.Local = strings.TrimSpace(string(token)), listener.Addr().(*net.TCPAddr).IP.IsLoopback()
	server.Handler = p.Handler()
	go func() { _ = server.Serve(listener) }() // until it is closed
	fmt.Fprintf(cmd.Root().Writer, "page at http://%s/\n", listener.Addr())
	return nil
}

func operatorCommands() (all []*cli.Command) {
	for _, o := range run.Operations() {
		all = append(all, &cli.Command{
			Name: o.Name, Usage: o.Usage, ArgsUsage: o.Args, Flags: hubFlags(),
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
		Name: "enrol", Usage: "make a key with which a machine can work for the hub", ArgsUsage: "NAME", Flags: hubFlags(),
		Description: "" +
			"Writes NAME.key, for tabula-farm work --key NAME.key. Whoever has the key can report results; keep it secret.",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			if err := run.CheckName(filepath.Base(name)); cmd.NArg() != 1 || err != nil {
				return exit.WrongUsef("enrol: want one name of letters, digits and _ . + -")
			}
			return asOwner(ctx, cmd, func(ctx context.Context, c *run.Conn) error { return c.Enrol(ctx, name) })
		},
	}
}

func listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "show runs and workers, and what each run waits for", Flags: hubFlags(),
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

func list(out io.Writer, v *run.Overview, hub string) error {
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if v.Full != "" {
		fmt.Fprintf(t, "%s\n\n", v.Full)
	}
	if len(v.Runs) == 0 {
		fmt.Fprintf(t, "no runs: start one, as with tabula-farm run count --hub %s --depth 7\n", hub)
	} else {
		fmt.Fprintln(t, "RUN\tID\tKIND\tOWNER\tPRIORITY\tSHARE\tDONE\tLEFT\tWHAT")
	}
	for _, r := range v.Runs {
		left, done := "-", fmt.Sprint(r.Folded)
		if r.Ended != nil {
			left, r.Waits = "over", r.Ended.Failed
		} else if r.Left > 0 {
			left = time.Duration(r.Left * float64(time.Second)).Round(time.Second).String()
		}
		if r.Jobs > 0 {
			done = fmt.Sprintf("%d%%", 100*r.Folded/r.Jobs)
		}
		fmt.Fprintf(t, "%s\t%.8s\t%s\t%s\t%d\t%v\t%s\t%s\t%s\n",
			r.Name, r.Run, r.Kind, r.Owner, r.Priority, r.Share, done, left, r.Title)
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
		fmt.Fprintln(t, "\nWORKER\tHOST\tKEY\tCORES\tNODES/S\tRUNNING\tJOBS\tFAILED\tMIB\tKERNELS\tCOMMIT\tSTATE")
	}
	for _, w := range v.Workers {
		state := w.Note
		switch {
		case w.Revoked != nil:
			state = "revoked " + w.Revoked.Format(time.DateTime)
		case w.Away:
			state = "away"
		case w.Failed != "" && state == "":
			state = "last failure: " + w.Failed
		}
		fmt.Fprintf(t, "%s\t%s\t%.8s\t%d\t%.0f\t%d\t%d\t%d\t%.1f\t%s\t%.10s\t%s\n", cmp.Or(w.Name, "-"), w.Host, w.ID,
			w.Cores, w.NPS, w.Running, w.Jobs, w.Bad, float64(w.Bytes)/(1<<20), w.Path, w.Commit, state)
	}
	return t.Flush()
}
