package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/tabula-farm/dashboard"
	"github.com/tabula-chess/tabula/tabula-farm/datagen"
	"github.com/tabula-chess/tabula/tabula-farm/match"
)

// submitted are the runs that came from the page. The hub gives their commands itself; one
// that is not over has a file in the directory, and begins again with the hub.
type submitted struct {
	ctx context.Context
	dir string
	hub []string // flags that say where the hub is
	log io.Writer
	all sync.WaitGroup

	mu     sync.Mutex
	states map[string]string // by name: what the queue does not tell
}

// Submitted returns the runs that are prepared or have failed before they were in the queue.
func (r *submitted) Submitted() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.states)
}

// set says how a run is, "" for one of which there is nothing more to say.
func (r *submitted) set(name, state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.states[name] = state; state == "" {
		delete(r.states, name)
	}
}

// newSubmitted begins the runs again that are not over.
func newSubmitted(ctx context.Context, dir string, hub []string, log io.Writer) (*submitted, error) {
	r := &submitted{ctx: ctx, dir: filepath.Join(dir, "runs"), hub: hub, log: log, states: map[string]string{}}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(r.dir, "*.json"))
	for _, name := range names {
		var s dashboard.Submission
		if _, bad := files.ReadJSON(name, &s); bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		r.begin(&s)
	}
	return r, err
}

// submit starts a run.
func (r *submitted) submit(s *dashboard.Submission) error {
	if err := checkName(s.Name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	name := filepath.Join(r.dir, s.Name)
	if old, err := filepath.Glob(name + ".*"); err != nil || len(old) > 0 {
		return fmt.Errorf("name %q: there was a run of that name", s.Name)
	}
	if _, err := r.words(s); err != nil {
		return err
	}
	if err := files.WriteJSON(name+".json", s); err != nil {
		return err
	}
	r.begin(s)
	return nil
}

// begin gives the command of a run.
func (r *submitted) begin(s *dashboard.Submission) {
	words, err := r.words(s)
	if err != nil {
		fmt.Fprintln(r.log, err)
		return
	}
	r.set(s.Name, "is prepared")
	r.all.Go(func() {
		var said bytes.Buffer
		code := tool.Run(r.ctx, New(r.log, io.MultiWriter(r.log, &said)), words)
		if r.ctx.Err() != nil {
			return
		}
		if r.set(s.Name, ""); code != command.Done {
			lines := strings.Split(strings.TrimSpace(said.String()), "\n")
			r.set(s.Name, lines[len(lines)-1])
		}
		_ = os.Remove(filepath.Join(r.dir, s.Name+".json")) // or it begins again, and ends at once
	})
}

// words returns the command of a run.
func (r *submitted) words(s *dashboard.Submission) ([]string, error) {
	words := append([]string{"farm", s.Kind, "--name=" + s.Name}, r.hub...)
	file := filepath.Join(r.dir, s.Name)
	switch s.Kind {
	case datagen.Kind:
		return append(words, "--out="+file+".tbg", fmt.Sprintf("--games=%d", s.Games), fmt.Sprintf("--nodes=%d", s.Nodes)), nil
	case match.Kind:
		for _, engine := range []string{s.A, s.B} {
			if engine == "" || strings.HasPrefix(engine, "-") {
				return nil, fmt.Errorf("engine %q: want a commit or exec:PROGRAM", engine)
			}
		}
		words = append(words, "--pgn="+file+".pgn", fmt.Sprintf("--pairs=%d", s.Pairs))
		if s.SPRT != "" {
			words = append(words, "--sprt="+s.SPRT)
		}
		if s.TC != "" {
			return append(words, "--tc="+s.TC, s.A, s.B), nil
		}
		return append(words, fmt.Sprintf("--nodes=%d", s.Nodes), s.A, s.B), nil
	}
	return nil, fmt.Errorf("kind %q: want match or datagen", s.Kind)
}

// ownHub returns the flags by which a command in this process finds the hub that cmd started,
// at an address and with the key of a file, or the cluster of cmd.
func ownHub(cmd *cli.Command, at net.Addr, key string) []string {
	flags := []string{"--dir=" + filepath.Join(cmd.String("dir"), "machine")}
	if url := cmd.String("hub"); url != "" {
		return append(flags, "--hub="+url, "--key="+cmd.String("key"))
	}
	host, port, _ := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return append(flags, "--hub=nats://"+net.JoinHostPort(host, port), "--key="+key)
}
