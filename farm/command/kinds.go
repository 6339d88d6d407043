package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/build"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/output"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// settings are those of a machine, on which no value depends.
type settings struct {
	cache  *build.Cache // of engines
	tables string       // directory of the values of endings
	nps    float64      // of one core, 0 for the reference
}

// kind is a kind of work, and the command that starts runs of it.
type kind struct {
	name    string
	version int
	open    func(*run.Manifest, settings) (run.Plan, error)

	usage, args, description string
	flags                    []cli.Flag
	// order reads what a run is to be. Its errors are of use.
	order func(ctx context.Context, cmd *cli.Command, own settings) (*order, error)
}

// allKinds returns the kinds of work. A new one gets its line here.
func allKinds() []kind {
	return []kind{perftKind(), datagenKind(), matchKind(), tuneKind(), annotateKind(), tablesKind(), gamesKind()}
}

// order is a run that a command starts.
type order struct {
	params  run.Params
	title   string                                  // the parameters in a line
	network *nnue.Network                           // values depend on it and on the search; nil where they do not
	inputs  []string                                // hashes of files for the workers
	files   [][]byte                                // those that are held in memory
	send    func(put func(data []byte) error) error // sends the others; nil for none
	out     string                                  // file that gathers those of the jobs; "" for none
	keep    run.Keep                                // for results with other files
	finish  func(out io.Writer, st coordinator.Status) error
}

// attach adds a file for the workers, which is held in memory.
func (o *order) attach(data []byte) {
	o.inputs, o.files = append(o.inputs, link.Sum(data)), append(o.files, data)
}

// playWith takes the network of --network; it is the first input.
func (o *order) playWith(cmd *cli.Command) error {
	o.network = nnue.Embedded()
	name := cmd.String("network")
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		o.network, err = nnue.Read(bytes.NewReader(text))
	}
	if err != nil {
		return fmt.Errorf("--network %s: %w", name, err)
	}
	o.attach(text)
	return nil
}

// versions returns the versions of the kinds of work.
func versions() map[string]int {
	all := map[string]int{}
	for _, k := range allKinds() {
		all[k.name] = k.version
	}
	return all
}

// opener returns what opens the plan of any kind of run.
func opener(s settings) run.Opener {
	return func(m *run.Manifest) (run.Plan, error) {
		for _, k := range allKinds() {
			if k.name == m.Kind && k.version == m.Version {
				return k.open(m, s)
			}
		}
		return nil, fmt.Errorf("this program does not know %s of version %d: it is older or newer than what started the run", m.Kind, m.Version)
	}
}

// command describes the command that starts runs.
func (k kind) command() *cli.Command {
	return &cli.Command{
		Name: k.name, Usage: k.usage, ArgsUsage: k.args, Description: k.description, Flags: runFlags(k.flags...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if k.args == "" {
				if err := noArguments(cmd); err != nil {
					return err
				}
			}
			err := k.carryOut(ctx, cmd)
			if err != nil {
				err = fmt.Errorf("%s: %w", k.name, err)
			}
			return err
		},
	}
}

// manifest returns the manifest of an order.
func (k kind) manifest(ctx context.Context, o *order, seed uint64) (*run.Manifest, error) {
	m, err := run.NewManifest(k.name, k.version, seed, o.params)
	if err != nil {
		return nil, command.WrongUse(err)
	}
	m.Inputs = o.inputs
	if o.network != nil {
		m.Network = o.network.Hash().String()
		m.Bench, _, err = search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil)
	}
	return m, err
}

// gather opens the file that gathers those of the jobs.
func (o *order) gather(m *run.Manifest, plan run.Plan) (io.Closer, error) {
	checker, ok := plan.(run.Checker)
	if !ok {
		return nil, fmt.Errorf("jobs of %s have no file", m.Kind)
	}
	file, err := output.Open(o.out, m.ID())
	if err != nil {
		return nil, command.WrongUsef("%s: %w", o.out, err)
	}
	o.keep = file.Keep(checker.CheckFile)
	return file, nil
}
