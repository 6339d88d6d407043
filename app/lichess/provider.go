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
	mostTabs  = 4                // with an engine at the same time
	mostPause = 30 * time.Second // between attempts
	// poll is the timeout of a request for work. The broker answers within seconds; a connection
	// that is dead after the machine slept must not block us.
	poll = time.Minute
)

// provider is a run of the command.
type provider struct {
	command       []string // command line of a UCI engine
	threads, hash int      // maximum threads and hash in MiB per engine
	site, broker  server
	log           *log.Logger
	// pause is the minimum time between two requests for work if the first brought none, and a
	// tenth of it otherwise. After a failure it doubles with each attempt.
	pause time.Duration

	engine     registration
	registered bool
	tabs       []*tab // the most recently used last
}

// run provides the engine until ctx is done. It returns an error if the engine cannot be started or
// the token is refused. If lichess cannot be reached, it logs the error and tries again.
func (p *provider) run(ctx context.Context) error {
	first, err := p.start(ctx, nil)
	if err != nil {
		return err
	}
	p.engine = registration{Name: first.Name(), MaxThreads: p.threads, MaxHash: p.hash, Variants: []string{"chess"},
		ProviderSecret: rand.Text()}
	_ = first.Close() // returns nil
	defer func() {
		for _, s := range p.tabs {
			s.close()
		}
	}()
	for pause := p.pause; ctx.Err() == nil; {
		asked := time.Now()
		w, err := p.next(ctx)
		wait := p.pause - time.Since(asked) // without work, the broker answers late
		switch {
		case ctx.Err() != nil:
		case err == nil:
			pause = p.pause
			if w.ID != "" {
				wait = p.pause/10 - time.Since(asked)
				p.tab(w.Work.Session).begin(ctx, w)
			}
		case !p.registered && errors.Is(err, errRefused):
			return err
		default:
			p.registered = false // another provider may have replaced the engine
			p.tell("%v; trying again in %v", err, pause)
			wait, pause = pause, min(2*pause, mostPause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return ctx.Err()
}

// tell logs one line. Text from servers and engines must not control the terminal.
func (p *provider) tell(format string, args ...any) {
	p.log.Printf("%.500s", strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, fmt.Sprintf(format, args...)))
}

// start starts the engine and passes every line of it to log.
func (p *provider) start(ctx context.Context, log func(bool, string)) (*client.Engine, error) {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, tokenVariable+"=") })
	return client.Start(ctx, client.Launch{Path: p.command[0], Args: p.command[1:], Env: env, Log: log})
}

// next registers the engine if necessary and asks for work once. The ID of the result is empty if
// there is none.
func (p *provider) next(ctx context.Context) (w work, err error) {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	if !p.registered {
		if err := p.site.register(ctx, p.engine); err != nil {
			return w, err
		}
		p.registered = true
		p.tell("%s is available: choose it in the menu of %s/analysis", p.engine.Name, p.site.address)
	}
	err = p.broker.call(ctx, http.MethodPost, engines+"/work",
		map[string]string{"providerSecret": p.engine.ProviderSecret}, &w)
	return w, err
}

// tab returns the tab of a session with an id and moves it to the end of the tabs. A new one may
// end the least recently used one.
func (p *provider) tab(id string) *tab {
	s := &tab{provider: p, id: id}
	if i := slices.IndexFunc(p.tabs, func(s *tab) bool { return s.id == id }); i >= 0 {
		s = p.tabs[i]
		p.tabs = slices.Delete(p.tabs, i, i+1)
	} else if len(p.tabs) >= mostTabs {
		p.tabs[0].close()
		p.tabs = p.tabs[1:]
	}
	p.tabs = append(p.tabs, s)
	return s
}
