package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/tune"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

// kinds returns the kinds of work, but for that of annotate, which has a command of its own.
func kinds() []launch.Kind {
	return append([]launch.Kind{count.Command(), datagen.Command(), match.Command(), tune.Command()}, testKinds...)
}

// types returns what workers can open.
func types() []*work.Type {
	all := []*work.Type{annotate.Type()}
	for _, k := range kinds() {
		all = append(all, k.Type)
	}
	return all
}

// runCommand is "tabula-farm run", whose kinds have the flags of their local commands.
func runCommand() *cli.Command {
	c := &cli.Command{
		Name: "run", Usage: "have a piece of work done by the workers of a hub", ArgsUsage: "KIND …",
		Description: "" +
			"Queues the jobs of a run and combines what they come to, as the command of that kind does on one machine.",
		Commands: []*cli.Command{annotateCommand()},
	}
	for _, k := range kinds() {
		c.Commands = append(c.Commands, onHub(k))
	}
	return c
}

func runFlags() []cli.Flag {
	return append(hubFlags(),
		&cli.StringFlag{Name: "name", Usage: "call the run `NAME` (default: KIND-ID)", Validator: run.CheckName})
}

// onFarm calls do with the farm of --hub as the place of a run.
func onFarm(ctx context.Context, cmd *cli.Command, of []cli.Flag, do func(*run.Remote) error) error {
	conn, err := dial(ctx, cmd, run.RoleOwner, "", time.Minute)
	if err != nil {
		return fmt.Errorf("%s: %w", cmd.Name, err)
	}
	defer conn.Close()
	title := cmd.Args().Slice()
	for _, f := range of {
		if name := f.Names()[0]; cmd.IsSet(name) {
			title = append(title, fmt.Sprintf("--%s=%v", name, cmd.Value(name)))
		}
	}
	return do(&run.Remote{Conn: conn, Log: logger(cmd), Record: run.Record{
		Name: cmd.String("name"), Title: work.Clean(strings.Join(title, " ")), Owner: ownerName(), Jobs: -1,
	}})
}

// annotateCommand is "tabula-farm run annotate", with the flags of tabula annotate.
func annotateCommand() *cli.Command {
	tables := func(cmd *cli.Command) (*syzygy.Tables, error) {
		return syzygy.Open(syzygy.SplitPath(cmd.String("syzygy"))...)
	}
	return annotate.On(os.Stdin, tables, runFlags(), func(ctx context.Context, cmd *cli.Command,
		s *annotate.Settings) error {
		return onFarm(ctx, cmd, annotate.Flags(), func(p *run.Remote) error {
			p.Exact, s.At = annotate.Type().Exact, p
			return annotate.Run(ctx, *s)
		})
	})
}

// onHub returns the command that has a kind of work done by the farm of --hub.
func onHub(k launch.Kind) *cli.Command {
	var p *run.Remote
	c := k.On(launch.At{
		Flags: append(runFlags(), dirFlag()),
		Help: "" +
			"The jobs are done by the workers of a hub. After an interruption or a kill, the same command continues the run.",
		Kept:  "workers go on with what is queued, and the same command continues the run",
		Ahead: run.Ahead,
		Env: func(cmd *cli.Command) (work.Env, error) {
			dir, err := dirOf(cmd)
			return work.Env{Dir: dir, Foreign: true}, err
		},
		Place: func(_ *cli.Command, t *launch.Task) (work.Executor, error) {
			p.Exact, p.Record.Jobs = k.Type.Exact, t.Jobs
			return p, nil
		},
		Report: func(t *launch.Task) { p.Report(t.Kind, t.Done()) },
	})
	action := c.Action
	c.Action = func(ctx context.Context, cmd *cli.Command) error {
		return onFarm(ctx, cmd, k.Flags, func(at *run.Remote) error {
			p = at
			return action(ctx, cmd)
		})
	}
	return c
}
