package main

import (
	"context"
	"encoding/json"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/command"
	wk "github.com/tabula-chess/tabula/work"
)

// delegate is the part of a [run.Kind] that a kind of package work does. Each job has a worker of its own.
type delegate struct{ wk.Kind }

func (d delegate) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	w, err := d.Kind.Open(ctx, wk.Inputs(in))
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	var input []byte
	if j.Input != nil {
		if err := json.Unmarshal(j.Input, &input); err != nil {
			return nil, 0, err
		}
	}
	return w.Do(ctx, wk.Job{Run: j.Run, Index: j.Index, Input: input})
}

func (d delegate) Add(j run.Job, data []byte) error { return d.Kind.Add(j.Index, data) }

func (d delegate) Input(index int) json.RawMessage {
	in, _ := d.Kind.Next(index) // io.EOF behind the last job
	if in == nil {
		return nil
	}
	text, _ := json.Marshal(in)
	return text
}

func (d delegate) Twice() int { return 0 }

func (d delegate) Numbers() []run.Number { return nil }

// taskOf returns what the command line of a kind asks for.
func taskOf(ctx context.Context, k command.Kind, at place, args ...string) (t *command.Task, err error) {
	c := &cli.Command{
		Name: k.Name, Flags: k.Flags, Writer: at.errOut, ErrWriter: at.errOut,
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		OnUsageError:   func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err },
		Action: func(ctx context.Context, cmd *cli.Command) (err error) {
			t, err = k.Task(ctx, cmd, at.env())
			return err
		},
	}
	return t, c.Run(ctx, append([]string{k.Name}, args...))
}
