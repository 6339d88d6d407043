package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,60}$`)

// CheckName returns an error for what a run or a key may not be called.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q: want letters, digits and _ . + -, at most 61", name)
	}
	return nil
}

// Operation is something that an operator does, on the command line or on the page.
type Operation struct {
	Name, Args, Usage string
	Least, Most       int // arguments
	do                func(ctx context.Context, c *Conn, by string, args []string) error
}

// Operations returns what an operator can do.
func Operations() []Operation {
	// onRun does something with a run, onWorker with a worker.
	onRun := func(open bool, do func(context.Context, *Conn, string, *Record, []string) error) func(context.Context, *Conn, string, []string) error {
		return func(ctx context.Context, c *Conn, by string, args []string) error {
			r, err := c.findRun(ctx, args[0], open)
			if err != nil {
				return err
			}
			return do(ctx, c, by, r, args[1:])
		}
	}
	pause := func(paused bool) func(context.Context, *Conn, string, []string) error {
		return onRun(true, func(ctx context.Context, c *Conn, _ string, r *Record, _ []string) error {
			return c.ChangeRun(ctx, r.Run, func(r *Record) { r.Paused = paused })
		})
	}
	mark := func(what string) func(context.Context, *Conn, string, []string) error {
		return func(ctx context.Context, c *Conn, by string, args []string) error {
			worker, err := c.findWorker(ctx, args[0])
			if err != nil {
				return err
			}
			return Put(ctx, c.Operate, what+worker, Mark{cmp.Or(strings.Join(args[1:], " "), "by "+by), time.Now()})
		}
	}
	return []Operation{
		{"cancel", "RUN", "end a run; its results stay until it is forgotten", 1, 1,
			onRun(true, func(ctx context.Context, c *Conn, by string, r *Record, _ []string) error {
				p, _, err := Get[Progress](ctx, c.Status, r.Run)
				if err != nil {
					return err
				}
				return c.End(ctx, r.Run, Ended{At: time.Now(), Failed: "cancelled by " + by, Text: p.Text})
			})},
		{"pause", "RUN", "stop handing out the jobs of a run", 1, 1, pause(true)},
		{"resume", "RUN", "continue a paused run", 1, 1, pause(false)},
		{"priority", "RUN PRIORITY [SHARE]", "runs of a lower priority wait; runs of one priority divide the workers by SHARE (default 1)", 2, 3, onRun(true, setPriority)},
		{"forget", "RUN", "remove a run and all its results; one that is open is cancelled", 1, 1,
			onRun(false, func(ctx context.Context, c *Conn, _ string, r *Record, _ []string) error { return c.Forget(ctx, r.Run) })},
		{"ban", "WORKER [REASON]", "shut a worker out and discard its results in open runs", 1, 20, mark("ban.")},
		{"unban", "WORKER", "admit a banned worker again; its results count again", 1, 1, unban},
		{"drain", "WORKER", "stop a worker once its jobs are done", 1, 1, mark("drain.")},
	}
}

// DoOperation does what an operator wants, as words: the name of an operation and its arguments. by is who wants it.
func (c *Conn) DoOperation(ctx context.Context, by string, words ...string) error {
	for _, o := range Operations() {
		if len(words) == 0 || o.Name != words[0] {
			continue
		}
		if args := words[1:]; len(args) < o.Least || len(args) > o.Most {
			return fmt.Errorf("%s: want %s", o.Name, o.Args)
		} else if err := o.do(ctx, c, by, args); err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		return nil
	}
	return fmt.Errorf("there is no operation %q", words)
}

func setPriority(ctx context.Context, c *Conn, _ string, r *Record, args []string) error {
	priority, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("priority %q: want a whole number", args[0])
	}
	share := r.Share
	if len(args) > 1 {
		if share, err = strconv.ParseFloat(args[1], 64); err != nil || !(share >= 0.01 && share <= 100) {
			return fmt.Errorf("share %q: want 0.01 to 100", args[1])
		}
	}
	return c.ChangeRun(ctx, r.Run, func(r *Record) { r.Priority, r.Share = priority, share })
}

func unban(ctx context.Context, c *Conn, _ string, args []string) error {
	worker, _ := c.findWorker(ctx, args[0]) // one that is gone is called by its key
	bans, err := All[Mark](ctx, c.Operate, "ban.")
	for key := range bans {
		if key == worker || len(args[0]) >= 6 && strings.HasPrefix(key, args[0]) {
			return c.Operate.Purge(ctx, "ban."+key)
		}
	}
	return errors.Join(err, fmt.Errorf("worker %q is not banned", args[0]))
}

// findRun returns the run with a name, or whose id begins so; open, the open one.
func (c *Conn) findRun(ctx context.Context, text string, open bool) (*Record, error) {
	all, err := All[Record](ctx, c.Runs, "")
	var found []*Record
	for id, r := range all {
		if (r.Value.Ended == nil || !open) && (text == r.Value.Name || len(text) >= 6 && strings.HasPrefix(id, text)) {
			found = append(found, &r.Value)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0 && open:
		return nil, fmt.Errorf("there is no open run %q", text)
	case len(found) == 0:
		return nil, fmt.Errorf("there is no run %q", text)
	case len(found) > 1:
		return nil, fmt.Errorf("%d runs are called %q: give the start of an id, as %.8s", len(found), text, found[0].Run)
	}
	return found[0], nil
}

// findWorker returns the key of the worker that a text means: the name by which it was enrolled, its host, or the
// start of its key.
func (c *Conn) findWorker(ctx context.Context, text string) (string, error) {
	keys, err := All[Mark](ctx, c.Operate, "key.")
	workers, bad := All[Worker](ctx, c.Workers, "")
	if err := errors.Join(err, bad); err != nil {
		return "", err
	}
	found := map[string]bool{}
	for key, k := range keys {
		found[key] = text == k.Value.Text || len(text) >= 6 && strings.HasPrefix(key, text)
	}
	for key, w := range workers {
		found[key] = found[key] || text == w.Value.Host || len(text) >= 6 && strings.HasPrefix(key, text)
	}
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	for key := range found {
		if len(found) == 1 {
			return key, nil
		}
	}
	return "", fmt.Errorf("%d workers are called %q: want a name that was enrolled, or a key as farm list shows it", len(found), text)
}

// Enrol lets the holder of a key work under a name.
func (c *Conn) Enrol(ctx context.Context, key, name string) error {
	keys, err := All[Mark](ctx, c.Operate, "key.")
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Value.Text == name {
			return fmt.Errorf("a key called %s is enrolled already", name)
		}
	}
	return Put(ctx, c.Operate, "key."+key, Mark{name, time.Now()})
}
