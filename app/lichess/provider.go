package lichess

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tabula-chess/tabula/uci/client"
)

const (
	mostSessions = 4                // that have an engine at a time
	mostPause    = 30 * time.Second // before another try
	// poll bounds a request for work: the broker answers within seconds, with work or
	// without, and a connection that outlived the machine's sleep must not hold us.
	poll = time.Minute
)

// provider is a run of the command.
type provider struct {
	command       []string // command line of a UCI engine
	threads, hash int      // most threads of an engine and MiB of its table
	site, broker  server
	log           *log.Logger
	// pause is the least time between two requests for work without an answer that has some, of
	// which a tenth is enough otherwise. After a fault it is doubled from try to try.
	pause time.Duration

	engine     registration
	registered bool
	sessions   []*session // the one that was used last at the end
}

// run offers the engine until ctx is done. It returns an error at once where the engine
// cannot be started or the token is refused; where lichess cannot be reached it says so
// in the log and tries again.
func (p *provider) run(ctx context.Context) error {
	first, err := p.start(ctx, nil)
	if err != nil {
		return err
	}
	p.engine = registration{Name: first.Name(), MaxThreads: p.threads, MaxHash: p.hash, Variants: []string{"chess"}, ProviderSecret: rand.Text()}
	_ = first.Close() // returns nil
	defer func() {
		for _, s := range p.sessions {
			s.close()
		}
	}()
	for pause := p.pause; ctx.Err() == nil; {
		asked := time.Now()
		w, err := p.next(ctx)
		wait := p.pause - time.Since(asked) // a broker that has no work is expected to answer late
		switch {
		case ctx.Err() != nil:
		case err == nil:
			pause = p.pause
			if w.ID != "" {
				wait = p.pause/10 - time.Since(asked)
				p.session(w.Work.Session).begin(ctx, w)
			}
		case !p.registered && errors.Is(err, errRefused):
			return err
		default:
			p.registered = false // another provider may have taken the engine's place
			p.tell("%v; again in %v", err, pause)
			wait, pause = pause, min(2*pause, mostPause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return ctx.Err()
}

// tell logs one line. What servers and engines say must not control the terminal.
func (p *provider) tell(format string, args ...any) {
	p.log.Printf("%.500s", strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, fmt.Sprintf(format, args...)))
}

// start starts the engine, which tells log every line.
func (p *provider) start(ctx context.Context, log func(bool, string)) (*client.Engine, error) {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, tokenVariable+"=") })
	return client.Start(ctx, client.Config{Path: p.command[0], Args: p.command[1:], Env: env, Log: log})
}

// next registers the engine if it is not registered, and asks for work once. There is
// none where the ID is empty.
func (p *provider) next(ctx context.Context) (w work, err error) {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	if !p.registered {
		if err := p.site.register(ctx, p.engine); err != nil {
			return w, err
		}
		p.registered = true
		p.tell("%s is offered: choose it in the menu of %s/analysis", p.engine.Name, p.site.address)
	}
	err = p.broker.call(ctx, http.MethodPost, engines+"/work", map[string]string{"providerSecret": p.engine.ProviderSecret}, &w)
	return w, err
}

// session returns the session with an id, the last of the sessions from now on. A new one
// may end the session that has not been used for longest.
func (p *provider) session(id string) *session {
	s := &session{provider: p, id: id}
	if i := slices.IndexFunc(p.sessions, func(s *session) bool { return s.id == id }); i >= 0 {
		s = p.sessions[i]
		p.sessions = slices.Delete(p.sessions, i, i+1)
	} else if len(p.sessions) >= mostSessions {
		p.sessions[0].close()
		p.sessions = p.sessions[1:]
	}
	p.sessions = append(p.sessions, s)
	return s
}
