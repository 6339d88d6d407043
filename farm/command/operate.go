package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
)

// answerWait is the time in which a hub has to answer an operator.
const answerWait = 10 * time.Second

// namePattern is what a run or a key may be called.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,60}$`)

func checkName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q: want letters, digits and _ . + -, at most 61", name)
	}
	return nil
}

// operation is something that an operator does, on the command line or on the page.
type operation struct {
	name, args, usage string
	least, most       int // arguments
	do                func(ctx context.Context, c *link.Conn, args []string) error
}

// operations returns what an operator can do.
func operations() []operation {
	ofRun := func(do func(ctx context.Context, c *link.Conn, o link.Open, args []string) error) func(context.Context, *link.Conn, []string) error {
		return func(ctx context.Context, c *link.Conn, args []string) error {
			o, err := findOpen(ctx, c, args[0])
			if err != nil {
				return err
			}
			return do(ctx, c, o, args[1:])
		}
	}
	pause := func(paused bool) func(context.Context, *link.Conn, []string) error {
		return ofRun(func(ctx context.Context, c *link.Conn, o link.Open, _ []string) error {
			o.Paused = paused
			return c.PutOpen(ctx, o)
		})
	}
	return []operation{
		{"cancel", "RUN", "end a run; its results stay until it is forgotten", 1, 1, ofRun(cancelRun)},
		{"pause", "RUN", "hand out no jobs of a run", 1, 1, pause(true)},
		{"resume", "RUN", "hand out jobs of a run again", 1, 1, pause(false)},
		{"priority", "RUN PRIORITY [SHARE]", "let runs of lower priority wait; SHARE (default 1) is of the time among runs of one priority", 2, 3, ofRun(setPriority)},
		{"forget", "RUN", "remove all that the farm has of a run; one that is open is cancelled", 1, 1, forgetRun},
		{"ban", "WORKER [REASON]", "keep a worker out; its results count for nothing in runs that are open", 1, 20, banWorker},
		{"unban", "WORKER", "let a worker in again; its results count again", 1, 1, unbanWorker},
		{"drain", "WORKER", "let a worker finish its jobs and end", 1, 1, func(ctx context.Context, c *link.Conn, args []string) error {
			worker, err := findWorker(ctx, c, args[0])
			if err != nil {
				return err
			}
			return c.Drain(worker)
		}},
	}
}

// Operate does what an operator wants, as the page asks for it.
func Operate(ctx context.Context, c *link.Conn, name string, args []string) error {
	for _, o := range operations() {
		if o.name == name {
			if len(args) < o.least || len(args) > o.most {
				return fmt.Errorf("%s: want %s", name, o.args)
			}
			return o.do(ctx, c, args)
		}
	}
	return fmt.Errorf("there is no operation %q", name)
}

func cancelRun(ctx context.Context, c *link.Conn, o link.Open, _ []string) error {
	return c.PutEnd(ctx, link.End{Open: o, Failed: "cancelled by " + owner(), At: time.Now()})
}

func setPriority(ctx context.Context, c *link.Conn, o link.Open, args []string) (err error) {
	if o.Priority, err = strconv.Atoi(args[0]); err != nil {
		return fmt.Errorf("priority %q: want a whole number", args[0])
	}
	if len(args) > 1 {
		if o.Share, err = strconv.ParseFloat(args[1], 64); err != nil || !(o.Share >= 0.01 && o.Share <= 100) {
			return fmt.Errorf("share %q: want 0.01 to 100", args[1])
		}
	}
	return c.PutOpen(ctx, o)
}

func forgetRun(ctx context.Context, c *link.Conn, args []string) error {
	o, err := findOpen(ctx, c, args[0])
	if err == nil {
		return c.Forget(ctx, o.Run)
	}
	ended, more := c.EndedRuns(ctx)
	for _, e := range ended {
		if names(args[0], e.Name, e.Run) {
			return c.Forget(ctx, e.Run)
		}
	}
	return errors.Join(err, more)
}

func banWorker(ctx context.Context, c *link.Conn, args []string) error {
	worker, err := findWorker(ctx, c, args[0])
	if err != nil {
		return err
	}
	reason := strings.Join(args[1:], " ")
	if reason == "" {
		reason = "by " + owner()
	}
	return c.PutBan(ctx, link.Ban{Worker: worker, Reason: reason, At: time.Now()})
}

func unbanWorker(ctx context.Context, c *link.Conn, args []string) error {
	bans, err := c.Bans(ctx)
	if err != nil {
		return err
	}
	worker, err := findWorker(ctx, c, args[0])
	for _, b := range bans {
		if err == nil && b.Worker == worker || matchesWorker(args[0], b.Worker) {
			return c.Unban(ctx, b.Worker)
		}
	}
	return fmt.Errorf("worker %q is not banned", args[0])
}

// names reports whether a text means what has a name and an id.
func names(text, name, id string) bool {
	return text == name || len(text) >= 6 && strings.HasPrefix(id, text)
}

// findOpen returns the open run with a name, or whose id begins so.
func findOpen(ctx context.Context, c *link.Conn, text string) (link.Open, error) {
	open, err := c.OpenRuns(ctx)
	var found []link.Open
	for _, o := range open {
		if names(text, o.Name, o.Run) {
			found = append(found, o)
		}
	}
	switch {
	case err != nil:
		return link.Open{}, err
	case len(found) == 0:
		return link.Open{}, fmt.Errorf("no open run is called %q", text)
	case len(found) > 1:
		return link.Open{}, fmt.Errorf("%d open runs are called %q: give the start of the id", len(found), text)
	}
	return found[0], nil
}

// matchesWorker reports whether a text means a worker: all of its name, the machine, or
// the start of the name.
func matchesWorker(text, worker string) bool {
	_, machine, _ := strings.Cut(worker, ".")
	return text == worker || text == machine || len(text) >= 6 && strings.HasPrefix(worker, text)
}

// findWorker returns the worker that a text means: the name by which a key was enrolled,
// for all of its machines, or a worker as list shows it.
func findWorker(ctx context.Context, c *link.Conn, text string) (string, error) {
	keys, err := c.Keys(ctx)
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		if k.Name == text || k.Key == text {
			return k.Key, nil
		}
	}
	var v coordinator.View
	if err := c.View(ctx, &v); err != nil {
		return "", err
	}
	var found []string
	for _, w := range v.Workers {
		if matchesWorker(text, w.Worker) {
			found = append(found, w.Worker)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d workers are called %q: want a name that was enrolled, or a worker as farm list shows it", len(found), text)
	}
	return found[0], nil
}

// operatorCommands returns the commands of operators.
func operatorCommands() (all []*cli.Command) {
	for _, o := range operations() {
		all = append(all, &cli.Command{
			Name: o.name, Usage: o.usage, ArgsUsage: o.args, Flags: hubFlags("; required"),
			Action: func(ctx context.Context, cmd *cli.Command) error {
				if n := cmd.NArg(); n < o.least || n > o.most {
					return command.WrongUsef("%s: want %s", o.name, o.args)
				}
				return asOperator(ctx, cmd, func(ctx context.Context, c *link.Conn) error {
					if err := o.do(ctx, c, cmd.Args().Slice()); err != nil {
						return fmt.Errorf("%s: %w", o.name, err)
					}
					return nil
				})
			},
		})
	}
	return append(all, listCommand(), enrolCommand())
}

// asOperator connects and does something within a time.
func asOperator(ctx context.Context, cmd *cli.Command, do func(context.Context, *link.Conn) error) error {
	c, err := dialOwner(ctx, cmd, answerWait)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Insist(ctx, insistence, c.Ensure); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return do(ctx, c)
}

// enrolCommand describes "farm enrol".
func enrolCommand() *cli.Command {
	return &cli.Command{
		Name: "enrol", Usage: "let a machine, or a group of machines, work for the hub", ArgsUsage: "NAME",
		Description: "Writes NAME.key, which farm work --key NAME.key uses. Who has it can report results; keep it secret.",
		Flags:       hubFlags("; required"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			if err := checkName(name); cmd.NArg() != 1 || err != nil {
				return command.WrongUsef("enrol: want one name of letters, digits and _ . + -")
			}
			owners, err := keyOf(cmd)
			if err != nil {
				return err
			}
			return asOperator(ctx, cmd, func(ctx context.Context, c *link.Conn) error { return enrol(ctx, c, name, owners.Pin) })
		},
	}
}

// enrol makes a key, writes it into a file with the name and ".key", and lets it in.
func enrol(ctx context.Context, c *link.Conn, name, pin string) error {
	file := name + ".key"
	if _, err := os.Stat(file); err == nil {
		return command.WrongUsef("%s: there is such a file already", file)
	}
	keys, err := c.Keys(ctx)
	if err != nil {
		return err
	}
	called := filepath.Base(name)
	for _, k := range keys {
		if k.Name == called {
			return command.WrongUsef("a key called %s is enrolled already", called)
		}
	}
	k, err := link.OwnKey(file, link.RoleWorker, pin)
	if err != nil {
		return err
	}
	public, err := k.Pair.PublicKey()
	if err != nil {
		return err
	}
	return c.Enrol(ctx, link.Enrolled{Key: public, Name: called, At: time.Now()})
}

// listCommand describes "farm list".
func listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "show runs and workers",
		Flags: hubFlags("; required"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			return asOperator(ctx, cmd, func(ctx context.Context, c *link.Conn) error {
				v, err := viewOf(ctx, c)
				if err != nil {
					return err
				}
				keys, err := c.Keys(ctx)
				if err != nil {
					return err
				}
				t := tabwriter.NewWriter(cmd.Root().Writer, 0, 4, 2, ' ', 0)
				list(t, v, keys)
				return t.Flush()
			})
		},
	}
}

// viewOf returns the coordinator's view or, where there is no coordinator, what the
// records say.
func viewOf(ctx context.Context, c *link.Conn) (*coordinator.View, error) {
	v := new(coordinator.View)
	err := c.View(ctx, v)
	if !errors.Is(err, link.ErrNoCoordinator) {
		return v, err
	}
	v.Full = err.Error()
	open, err := c.OpenRuns(ctx)
	if err != nil {
		return v, err
	}
	for _, o := range open {
		v.Runs = append(v.Runs, coordinator.RunView{Open: o})
	}
	if v.Ended, err = c.EndedRuns(ctx); err == nil {
		v.Bans, err = c.Bans(ctx)
	}
	return v, err
}

// list writes a view for a terminal.
func list(t *tabwriter.Writer, v *coordinator.View, keys []link.Enrolled) {
	if v.Full != "" {
		fmt.Fprintf(t, "%s\n\n", v.Full)
	}
	fmt.Fprintln(t, "RUN\tID\tKIND\tPARAMETERS\tOWNER\tPRIORITY\tJOBS\tLEFT\tWHERE IT STANDS")
	for _, r := range v.Runs {
		left := "-"
		if r.Left > 0 {
			left = (time.Duration(r.Left) * time.Second).String()
		}
		text := r.Text
		if r.Held != "" {
			text += "; " + r.Held
		}
		if n := len(r.Dead); n > 0 {
			text += fmt.Sprintf("; %d jobs given up", n)
		}
		fmt.Fprintf(t, "%s\t%.6s\t%s\t%s\t%s\t%d/%g\t%d/%d\t%s\t%s\n", r.Name, r.Run, r.Kind, r.Title, r.Owner, r.Priority, r.Share, r.Folded, r.Jobs, left, text)
	}
	for _, e := range v.Ended {
		text := "done: " + e.Text
		if e.Failed != "" {
			text = "FAILED: " + e.Failed
		}
		fmt.Fprintf(t, "%s\t%.6s\t%s\t%s\t%s\t-\t%d/%d\t-\t%s\n", e.Name, e.Run, e.Kind, e.Title, e.Owner, e.Folded, e.Jobs, text)
	}
	fmt.Fprintln(t, "\nWORKER\tKEY\tHOST\tCORES\tNPS\tDONE\tDOING")
	for _, w := range v.Workers {
		key, machine, _ := strings.Cut(w.Worker, ".")
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.0f\t%d\t%s\n", machine, keyName(key, keys), w.Host, w.Cores, w.NPS, w.Done, doing(&w))
	}
	for _, b := range v.Bans {
		key, machine, _ := strings.Cut(b.Worker, ".")
		fmt.Fprintf(t, "banned: %s %s: %s\n", keyName(key, keys), machine, b.Reason)
	}
}

// keyName returns the name of a key, or its start.
func keyName(key string, keys []link.Enrolled) string {
	for _, k := range keys {
		if k.Key == key {
			return k.Name
		}
	}
	return fmt.Sprintf("%.8s", key)
}

// silence is the number of seconds after which a worker counts as silent.
const silence = 30

// doing says what a worker does, and what is wrong with it.
func doing(w *coordinator.WorkerView) string {
	var parts []string
	if w.Silent > silence {
		parts = append(parts, fmt.Sprintf("silent for %.0f s", w.Silent))
	}
	if n := len(w.Running); n > 0 {
		parts = append(parts, fmt.Sprintf("%d jobs", n))
	} else if w.Note != "" {
		parts = append(parts, w.Note)
	}
	if w.Spool > 0 {
		parts = append(parts, fmt.Sprintf("%d results wait for the hub", w.Spool))
	}
	if w.Failed != "" {
		parts = append(parts, "last failure: "+w.Failed)
	}
	return strings.Join(parts, "; ")
}
