package lichess

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/uci/client"
)

// mostSessions bounds the engines that run at a time, one for each session.
const mostSessions = 4

// Settings say what is offered, and to whom.
type Settings struct {
	Engine  []string // command line of a UCI engine
	Token   string   // of the user's account, with the scopes engine:read and engine:write
	Threads int      // most threads of an engine
	Hash    int      // most MiB of an engine's table
	Log     io.Writer

	site, broker string                               // other servers than those of lichess
	wait         func(context.Context, time.Duration) // waits before another try; nil for a clock
}

// provider is a run of the command.
type provider struct {
	Settings
	api      *api
	name     string // of the engine
	mu       sync.Mutex
	sessions []*session // the one that was used last at the end
}

// Run offers the engine until ctx is done. It returns an error at once where the engine
// cannot be started or the token is refused; where lichess cannot be reached it says so
// in the log and tries again, at growing distances of up to half a minute.
func Run(ctx context.Context, s Settings) error {
	p := &provider{Settings: s}
	if p.wait == nil {
		p.wait = sleep
	}
	p.api = &api{
		site: cmp.Or(s.site, site), broker: cmp.Or(s.broker, broker), token: s.Token, secret: rand.Text(),
	}
	first, err := p.startEngine(ctx, nil)
	if err != nil {
		return err
	}
	p.name = first.Name()
	if err := first.Close(); err != nil {
		return err
	}
	defer func() {
		for len(p.sessions) > 0 {
			p.forget(0)
		}
	}()
	return p.serve(ctx)
}

// sleep waits, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// startEngine starts the engine, which tells log every line.
func (p *provider) startEngine(ctx context.Context, log func(bool, string)) (*client.Engine, error) {
	return client.Start(ctx, client.Config{Path: p.Engine[0], Args: p.Engine[1:], Log: log})
}

// serve registers, and passes work on to the sessions. What fails is tried again.
func (p *provider) serve(ctx context.Context) error {
	pause, registered := time.Second, false
	var status *statusError
	for ctx.Err() == nil {
		err := p.step(ctx, &registered)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			pause = time.Second
		case !registered && errors.As(err, &status) && status.code/100 == 4 && status.code != http.StatusTooManyRequests:
			return fmt.Errorf("lichess does not accept the token; it needs the scopes engine:read and engine:write: %w", err)
		default:
			registered = registered && !errors.As(err, &status) // another provider may have taken the engine's place
			p.logf("%v; again in %v", err, pause)
			p.wait(ctx, pause)
			pause = min(2*pause, 30*time.Second)
		}
	}
	return ctx.Err()
}

// step registers the engine if it is not registered yet, and otherwise asks for work once.
func (p *provider) step(ctx context.Context, registered *bool) error {
	if !*registered {
		err := p.api.register(ctx, registration{Name: p.name, MaxThreads: p.Threads, MaxHash: p.Hash, Variants: []string{"chess"}})
		if err != nil {
			return err
		}
		*registered = true
		p.logf("%s is offered: choose it in the menu of %s/analysis", p.name, p.api.site)
	}
	w, err := p.api.acquire(ctx)
	if err != nil || w.ID == "" {
		return err
	}
	s, err := p.session(ctx, w.Work.Session)
	if err != nil {
		return err
	}
	s.begin(ctx, w)
	return nil
}

// session returns the session with an id, the last of the sessions from now on. A new one
// may end the session that has not been used for longest.
func (p *provider) session(ctx context.Context, id string) (s *session, err error) {
	i := slices.IndexFunc(p.sessions, func(s *session) bool { return s.id == id })
	if i >= 0 && p.sessions[i].failed.Load() {
		p.forget(i)
		i = -1
	}
	if i >= 0 {
		s = p.sessions[i]
		p.sessions = append(slices.Delete(p.sessions, i, i+1), s)
		return s, nil
	}
	if len(p.sessions) >= mostSessions {
		p.forget(0)
	}
	s = &session{provider: p, id: id}
	if s.engine, err = p.startEngine(ctx, s.line); err != nil {
		return nil, err
	}
	p.sessions = append(p.sessions, s)
	return s, nil
}

// forget ends a session and its engine.
func (p *provider) forget(i int) {
	s := p.sessions[i]
	p.sessions = slices.Delete(p.sessions, i, i+1)
	s.end()
	if err := s.engine.Close(); err != nil {
		p.logf("%v", err)
	}
}

// logf writes a line to the log; sessions call it while others do.
func (p *provider) logf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.Log, format+"\n", args...)
}
