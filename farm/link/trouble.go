package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// firstWord is the time after which a connection that is not there yet is spoken
// of, also where nothing has answered; sayAgain is that between two such words.
const (
	firstWord = 1500 * time.Millisecond
	sayAgain  = 5 * time.Second
)

// trouble is what keeps a connection from coming about.
type trouble struct {
	mu     sync.Mutex
	dialed error // what the last dial came to
	last   error // why the last try has failed
	final  error // why there is no use in trying again
	said   time.Time
}

// errRefuses says that the hub does not let the client in.
var errRefuses = errors.New("the hub refuses this client")

// Closed is closed when the hub has refused the client for good, or Close was
// called: the connection will not come back.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

// Err returns why the connection is closed.
func (c *Conn) Err() error {
	c.trouble.mu.Lock()
	final := c.trouble.final
	c.trouble.mu.Unlock()
	if final != nil {
		return fmt.Errorf("%w: %w", errRefuses, final)
	}
	return fmt.Errorf("%w: %w", errRefuses, c.explain(c.NC.LastError()))
}

// Wait waits for the first connection: until it is there, it never will be, ctx
// ends, or for so long.
func (c *Conn) Wait(ctx context.Context, bound time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	select {
	case <-c.connected:
		return nil
	case <-c.closed:
		return c.Err()
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		return c.reason()
	}
}

// Say says in the log that the hub cannot be asked and why, now and then however
// often it is called.
func (c *Conn) Say(why error) {
	t := &c.trouble
	t.mu.Lock()
	quiet := !t.said.IsZero() && time.Since(t.said) < sayAgain
	if !quiet {
		t.said = time.Now()
	}
	t.mu.Unlock()
	if !quiet {
		c.log.Warn("waits for the hub", "hub", c.options.URL, "error", why)
	}
}

// reason returns why there is no connection.
func (c *Conn) reason() error {
	c.trouble.mu.Lock()
	defer c.trouble.mu.Unlock()
	if c.trouble.last != nil {
		return fmt.Errorf("no connection to %s: %w", c.options.URL, c.trouble.last)
	}
	return fmt.Errorf("no connection to %s: nothing has answered yet", c.options.URL)
}

// dialer notes what its dials come to: the library tells of a refused connection
// only that there are no servers.
type dialer struct{ c *Conn }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: nats.DefaultTimeout}).Dial(network, address)
	d.c.trouble.mu.Lock()
	defer d.c.trouble.mu.Unlock()
	d.c.trouble.dialed = err
	return conn, err
}

// failed notes that a try to connect has failed. What cannot be put right by
// waiting ends the connection, unless it was there before.
func (c *Conn) failed(nc *nats.Conn, err error) {
	t := &c.trouble
	t.mu.Lock()
	if t.dialed != nil {
		err = t.dialed
	}
	err = c.explain(err)
	t.last = err
	never := errors.As(err, new(*hopeless)) && !c.was()
	if never {
		t.final = err
	}
	t.mu.Unlock()
	if never {
		nc.Close()
		return
	}
	c.Say(c.reason())
}

// was reports whether the connection has ever been there.
func (c *Conn) was() bool {
	select {
	case <-c.connected:
		return true
	default:
		return false
	}
}

// hopeless is an error that stays however often one tries.
type hopeless struct{ text string }

func (e *hopeless) Error() string { return e.text }

// explain says what an error means for whoever uses the farm.
func (c *Conn) explain(err error) error {
	o := &c.options
	switch {
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return &hopeless{"the server has no authentication, and a worker shows a key: want a hub, or a cluster with users and --key FILE.creds"}
	case errors.As(err, new(*tls.CertificateVerificationError)) && o.Key.Pin == "":
		return &hopeless{"it asks for TLS with a certificate that only its keys name: want --key FILE with a key of that hub"}
	case errors.Is(err, nats.ErrAuthorization) && o.Key.Creds != "": // a cluster that is starting may not know them yet
		return fmt.Errorf("it does not know the credentials of %s: %w", o.Key.Creds, err)
	case errors.Is(err, nats.ErrAuthorization) && o.Key.Pin != "":
		return &hopeless{"it has not enrolled this key, or has banned this worker"}
	case errors.Is(err, nats.ErrAuthorization):
		return &hopeless{"it lets in only who has a --key, or it has banned this worker"}
	}
	return err
}
