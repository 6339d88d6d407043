//go:build !js

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tabula-chess/tabula/internal/version"
)

// What a site may ask for. lichess wants a full minute after each 429.
const (
	leastWait = time.Minute
	mostWait  = 15 * time.Minute
	mostWaits = 5 // for one request
)

// Variable is the environment variable with the address of a stand-in for both sites, for tests.
const Variable = "TABULA_SITES"

// Client asks the sites.
type Client struct {
	standIn   *url.URL // nil for none
	transport http.RoundTripper
	now       func() time.Time
	after     func(time.Duration) <-chan time.Time
}

// New returns a client. getenv looks up [Variable], as os.Getenv does.
func New(getenv func(string) string) (*Client, error) {
	// One connection, which counts as broken when nothing comes for a minute and no ping is answered.
	one := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute,
		ResponseHeaderTimeout: time.Minute, HTTP2: &http.HTTP2Config{SendPingTimeout: time.Minute},
	}
	c := &Client{transport: one, now: time.Now, after: time.After}
	address := getenv(Variable)
	if address == "" {
		return c, nil
	}
	var err error
	if c.standIn, err = url.Parse(address); err != nil || !net.ParseIP(c.standIn.Hostname()).IsLoopback() {
		return nil, fmt.Errorf("%s=%.60q: want http://127.0.0.1:PORT, an address of this machine", Variable, address)
	}
	return c, nil
}

// oneHost lets requests to one host pass and no others. A redirect is such a request too.
type oneHost struct {
	to   *url.URL
	next http.RoundTripper
}

// RoundTrip sends a request.
func (g oneHost) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method != http.MethodGet || q.Body != nil || q.URL.Scheme != g.to.Scheme || q.URL.Host != g.to.Host {
		return nil, fmt.Errorf("nothing is sent there; %s is the only host that is asked", g.to.Host)
	}
	return g.next.RoundTrip(q)
}

// statusError is an answer without what was asked for.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("%d %s", int(s), http.StatusText(int(s))) }

// get asks for a path, and once more when the site wants it to wait. What has been seen is not sent again: the status
// is then 304. The caller closes the body of the answer.
func (r *fetching) get(path, accept string, before seen) (*http.Response, error) {
	client := http.Client{Transport: oneHost{r.base, r.transport}}
	for waits := 0; ; waits++ {
		q, err := http.NewRequestWithContext(r.ctx, http.MethodGet, r.base.String()+path, nil)
		if err != nil {
			return nil, err
		}
		q.Header.Set("Accept", accept)
		q.Header.Set("User-Agent", fmt.Sprintf("Tabula/%s (+https://github.com/tabula-chess/tabula; username: %s)",
			version.Number, r.account.User))
		if before.Tag != "" {
			q.Header.Set("If-None-Match", before.Tag)
		}
		if before.Modified != "" {
			q.Header.Set("If-Modified-Since", before.Modified)
		}
		answer, err := client.Do(q)
		if err != nil {
			return nil, r.broken(err)
		}
		status := statusError(answer.StatusCode)
		if status == http.StatusOK || status == http.StatusNotModified && before != (seen{}) {
			return answer, nil
		}
		answer.Body.Close()
		if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			return nil, fmt.Errorf("%s answers %w", r.account.Host, status)
		}
		if err := r.wait(answer.Header.Get("Retry-After"), waits, status); err != nil {
			return nil, err
		}
	}
}

// wait waits as a site asks, for seconds or until a date, and at least a minute.
func (r *fetching) wait(asked string, waits int, status statusError) error {
	d := leastWait
	if seconds, err := strconv.ParseUint(asked, 10, 31); err == nil {
		d = max(d, time.Duration(seconds)*time.Second)
	} else if until, err := http.ParseTime(asked); err == nil {
		d = max(d, until.Sub(r.now()).Round(time.Second))
	}
	if d > mostWait || waits >= mostWaits {
		return fmt.Errorf("%s answers %w and wants a pause of %v; go on later", r.account.Host, status, d)
	}
	now := r.done
	now.Wait = d
	r.Tell(now)
	select {
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	case <-r.after(d):
		return nil
	}
}

// broken returns the error of a connection, or why ctx has ended it.
func (r *fetching) broken(err error) error {
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("%s: %w; the games that came whole are stored, and the same call goes on", r.account.Host, err)
}

// noAccount returns what an error means that answers the first request.
func (r *fetching) noAccount(err error) error {
	switch status, _ := errors.AsType[statusError](err); status {
	case http.StatusNotFound:
		return fmt.Errorf("name: %s has no account %s", r.account.Name, r.account.User)
	case http.StatusGone:
		return fmt.Errorf("name: the account %s of %s is closed for good", r.account.User, r.account.Name)
	}
	return err
}
