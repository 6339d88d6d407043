package run

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
}

// Operations returns what an operator can do.
func Operations() []Operation {
	return []Operation{
		{"cancel", "RUN", "end a run; its results stay until it is forgotten", 1, 1},
		{"pause", "RUN", "stop handing out the jobs of a run", 1, 1},
		{"resume", "RUN", "continue a paused run", 1, 1},
		{"priority", "RUN PRIORITY [SHARE]",
			"set a run's priority: lower ones wait, and equal ones divide the workers by SHARE (default 1)", 2, 3},
		{"forget", "RUN", "remove a run and all its results; one that is open is cancelled", 1, 1},
		{"ban", "WORKER [REASON]", "shut a worker out and discard its results in open runs", 1, 20},
		{"unban", "WORKER", "admit a banned worker again; its results count again", 1, 1},
		{"drain", "WORKER", "stop a worker once its jobs are done", 1, 1},
	}
}

// DoOperation does what an operator wants, as words: the name of an operation and its arguments. by is who wants it.
func (c *Conn) DoOperation(ctx context.Context, by string, words ...string) error {
	i := slices.IndexFunc(Operations(), func(o Operation) bool { return len(words) > 0 && o.Name == words[0] })
	if i < 0 {
		return fmt.Errorf("there is no operation %q", words)
	}
	o, args := Operations()[i], words[1:]
	if len(args) < o.Least || len(args) > o.Most {
		return fmt.Errorf("%s: want %s", o.Name, o.Args)
	}
	do := c.onRun
	if strings.HasPrefix(o.Args, "WORKER") {
		do = c.onWorker
	}
	if err := do(ctx, o.Name, by, args); err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	return nil
}

func (c *Conn) onRun(ctx context.Context, do, by string, args []string) error {
	r, err := c.findRun(ctx, args[0], do != "forget")
	if err != nil {
		return err
	}
	switch do {
	case "forget":
		return c.Forget(ctx, r.Run)
	case "priority":
		priority, err := strconv.Atoi(args[1])
		if err != nil {
			return fmt.Errorf("priority %q: want a whole number", args[1])
		}
		share := r.Share
		if len(args) > 2 {
			if share, err = strconv.ParseFloat(args[2], 64); err != nil || !(share >= 0.01 && share <= 100) {
				return fmt.Errorf("share %q: want 0.01 to 100", args[2])
			}
		}
		return c.ChangeRun(ctx, r.Run, func(r *Record) { r.Priority, r.Share = priority, share })
	case "cancel":
		return c.End(ctx, r.Run, Ended{At: time.Now(), Failed: "cancelled by " + by, Text: r.Text})
	}
	return c.ChangeRun(ctx, r.Run, func(r *Record) { r.Paused = do == "pause" })
}

func (c *Conn) onWorker(ctx context.Context, do, by string, args []string) error {
	key, err := c.findWorker(ctx, args[0])
	if err != nil {
		return err
	}
	if do != "unban" {
		return Put(ctx, c.Operate, do+"."+key, Mark{cmp.Or(strings.Join(args[1:], " "), "by "+by), time.Now()})
	}
	if _, revision, err := Get[Mark](ctx, c.Operate, "ban."+key); err != nil || revision == 0 {
		return cmp.Or(err, fmt.Errorf("worker %q is not banned", args[0]))
	}
	return c.Operate.Purge(ctx, "ban."+key)
}

// findRun returns the run with a name, or whose id begins so; open, the open one.
func (c *Conn) findRun(ctx context.Context, text string, open bool) (*RunView, error) {
	v, err := c.View(ctx)
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(v.Runs, func(r RunView) bool {
		return open && r.Ended != nil || text != r.Name && (len(text) < 6 || !strings.HasPrefix(r.Run, text))
	})
	switch {
	case len(found) == 0 && open:
		return nil, fmt.Errorf("there is no open run %q", text)
	case len(found) == 0:
		return nil, fmt.Errorf("there is no run %q", text)
	case len(found) > 1:
		return nil, fmt.Errorf("%d runs are called %q: give the start of an id, as %.8s", len(found), text, found[0].Run)
	}
	return &found[0], nil
}

// findWorker returns the key of the worker that a text means: the name by which it was enrolled, its host, or the
// start of its key.
func (c *Conn) findWorker(ctx context.Context, text string) (string, error) {
	v, err := c.View(ctx)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	note := func(key, name string) {
		if text == name || len(text) >= 6 && strings.HasPrefix(key, text) {
			found[key] = true
		}
	}
	for key, k := range v.Keys {
		note(key, k.Value.Text)
	}
	for key := range v.Bans { // also of workers that are gone
		note(key, key)
	}
	for _, w := range v.Workers {
		note(w.ID, w.Host)
	}
	for key := range found {
		if len(found) == 1 {
			return key, nil
		}
	}
	return "", fmt.Errorf("%d workers are called %q: want a name or key as tabula-farm list shows it", len(found), text)
}

// Enrol writes the key of a worker to FILE.key, and lets its holder work under the name of the file. A key that is
// there, and not enrolled, is enrolled.
func (c *Conn) Enrol(ctx context.Context, file string) error {
	name := filepath.Base(file)
	keys, err := All[Mark](ctx, c.Operate, "key.")
	if err != nil {
		return err
	}
	if _, err := os.Stat(file + ".key"); err == nil {
		old, err := ReadKey(file + ".key")
		_, known := keys[old.Public]
		if err == nil && (known || old.Role != RoleWorker || old.Pin != c.options.Key.Pin) {
			err = fmt.Errorf("%s.key already exists", file)
		}
		if err != nil {
			return err
		}
	}
	for _, k := range keys {
		if k.Value.Text == name {
			return fmt.Errorf("a key called %s is enrolled already", name)
		}
	}
	k, err := OwnKey(file+".key", RoleWorker, c.options.Key.Pin)
	if err == nil {
		err = Put(ctx, c.Operate, "key."+k.Public, Mark{name, time.Now()})
	}
	return err
}
