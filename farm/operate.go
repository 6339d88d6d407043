package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// operatorCommands returns the commands of operators.
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

// enrolCommand describes "farm enrol".
func enrolCommand() *cli.Command {
	return &cli.Command{
		Name: "enrol", Usage: "let a machine, or a group of machines, work for the hub", ArgsUsage: "NAME",
		Description: "Writes NAME.key, which farm work --key NAME.key uses. Who has it can report results; keep it secret.\n" +
			"For a NATS cluster, --accounts FILE writes the part of its configuration that lets all keys in FILE's directory in.",
		Flags: append(hubFlags("; required without --accounts"), &cli.StringFlag{Name: "accounts", Usage: "`FILE` that the configuration of a cluster's servers includes"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			if err := run.CheckName(filepath.Base(name)); cmd.NArg() != 1 || err != nil {
				return exit.WrongUsef("enrol: want one name of letters, digits and _ . + -")
			}
			if file := cmd.String("accounts"); file != "" {
				return enrolInCluster(file, name)
			}
			if _, err := os.Stat(name + ".key"); err == nil {
				return exit.WrongUsef("%s.key: there is such a file already", name)
			}
			own := run.Key{}
			if file := cmd.String("key"); file != "" {
				var err error
				if own, err = run.ReadKey(file); err != nil {
					return exit.WrongUsef("--key: %w", err)
				}
			}
			return asOwner(ctx, cmd, func(ctx context.Context, c *run.Conn) error {
				k, err := run.NewKey(run.RoleWorker, own.Pin)
				public, bad := k.Public()
				if err = errors.Join(err, bad); err == nil {
					err = c.Enrol(ctx, public, filepath.Base(name))
				}
				if err == nil {
					_, err = run.Secret(name+".key", k.Text)
				}
				return err
			})
		},
	}
}

// enrolInCluster makes a worker's key and, where it is missing, own.key beside the file of
// accounts, and writes the accounts of all keys there.
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
		k, bad := run.ReadKey(name)
		public, worse := k.Public()
		if err := errors.Join(bad, worse); err != nil {
			return err
		}
		if publish, subscribe := run.WorkerRights(public); k.Role == run.RoleOwner {
			owners = append(owners, fmt.Sprintf("{ nkey: %s }", public))
		} else {
			workers = append(workers, fmt.Sprintf("{ nkey: %s, permissions: { publish: %q, subscribe: %q } }", public, publish, subscribe))
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

// listCommand describes "farm list".
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

// list writes a view for a terminal.
func list(out io.Writer, v *run.View, hub string) error {
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if v.Full != "" {
		fmt.Fprintf(t, "%s\n\n", v.Full)
	}
	if len(v.Runs) == 0 {
		fmt.Fprintf(t, "no runs: start one, as with farm perft --hub %s --depth 7\n", hub)
	} else {
		fmt.Fprintln(t, "RUN\tID\tKIND\tOWNER\tPRIORITY\tSHARE\tJOBS\tLEFT\tWHAT")
	}
	for _, r := range v.Runs {
		left := "-"
		if r.Ended != nil {
			left = "over"
		} else if r.Left > 0 {
			left = time.Duration(r.Left * float64(time.Second)).Round(time.Second).String()
		}
		fmt.Fprintf(t, "%s\t%.8s\t%s\t%s\t%d\t%v\t%d/%d\t%s\t%s\n", r.Name, r.Run, r.Kind, r.Owner, r.Priority, r.Share, r.Folded, r.Jobs, left, r.Title)
		for _, text := range []string{r.Text, r.Waits, failed(&r)} {
			if text != "" {
				fmt.Fprintf(t, "  %s\n", text)
			}
		}
	}
	if len(v.Workers) == 0 {
		fmt.Fprintf(t, "\nno workers: start some, with farm work --hub %s\n", hub)
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
		key, machine, _ := strings.Cut(w.ID, ".")
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.0f\t%d\t%d\t%s\t%.10s\t%s\n", machine, w.Host, cmp.Or(w.Name, key[:min(8, len(key))]), w.Cores, w.NPS, w.Done, w.Running, w.Path, w.Commit, state)
	}
	for _, b := range v.Bans {
		if !slices.ContainsFunc(v.Workers, func(w run.WorkerView) bool { return run.Covers(b.Worker, w.ID) }) {
			fmt.Fprintf(t, "banned: %s, %s, since %s\n", b.Worker, b.Reason, b.At.Format(time.DateTime))
		}
	}
	return t.Flush()
}

// failed returns why a run was not finished.
func failed(r *run.RunView) string {
	if r.Ended == nil {
		return ""
	}
	return r.Ended.Failed
}
