package run

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// Conn is a connection to a hub or a NATS cluster. It reconnects for ever; until then requests
// fail. The buckets are those of owners, after [Conn.Ensure].
type Conn struct {
	NC  *nats.Conn
	JS  jetstream.JetStream
	Key string // the public key of the client; results are signed with it

	Runs, Status, Workers, Operate, Orders jetstream.KeyValue

	pair    nkeys.KeyPair
	closed  chan struct{}
	options Options

	mu     sync.Mutex
	warned time.Time // when the log last said that the hub is away
}

// Options say how to connect.
type Options struct {
	URL     string                     // nats://HOST:PORT, several with "," between them
	Name    string                     // for the server's log
	Key     Key                        // zero for an owner on loopback
	Process nats.InProcessConnProvider // a server in this process, instead of URL
	Log     *slog.Logger               // nil for none
}

// retryWait is the time between two tries, warnEvery the time between two warnings about a hub
// that is away, answerWait the time in which it has to answer.
const (
	retryWait  = 500 * time.Millisecond
	warnEvery  = 5 * time.Second
	answerWait = 10 * time.Second
)

// Forever is longer than any process lives.
const Forever = 1 << 62 * time.Nanosecond

// Dial connects. While the server cannot be reached it tries again, up to a bound, and says so
// in the log; an error that cannot go away ends it at once.
func Dial(ctx context.Context, o Options, bound time.Duration) (c *Conn, err error) {
	c = &Conn{closed: make(chan struct{}), options: o, pair: o.Key.Pair}
	if c.options.Log == nil {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	if c.pair == nil { // it signs, and is not shown
		if c.pair, err = nkeys.CreateUser(); err != nil {
			return nil, err
		}
	}
	if c.Key, err = c.pair.PublicKey(); err != nil {
		return nil, err
	}
	err = c.Retry(ctx, bound, func(context.Context) (err error) {
		if c.NC, err = nats.Connect(o.URL, c.settings()...); err != nil {
			err = fmt.Errorf("no connection to %s: %w", o.URL, c.explain(err))
		}
		return err
	})
	if err == nil {
		c.JS, err = jetstream.New(c.NC, jetstream.WithPublishAsyncTimeout(answerWait), jetstream.WithPublishAsyncMaxPending(2*ahead),
			jetstream.WithDefaultTimeout(answerWait))
	}
	if err != nil && c.NC != nil {
		c.NC.Close()
	}
	return c, err
}

// settings returns how the connection is made and kept.
func (c *Conn) settings() []nats.Option {
	o := &c.options
	all := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(retryWait), nats.ReconnectJitter(retryWait, 2*retryWait),
		// A silent connection is given up after 20 to 30 seconds: no sooner, so that a machine
		// under load is not taken for gone, and no later, so that its jobs are kept.
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.FlusherTimeout(answerWait),
		// A request while the connection is down fails and is made again by its caller; from a
		// buffer it would be made twice.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // nil where Close was called
				o.Log.Warn("lost the connection to the hub", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { o.Log.Info("connected again", "url", nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { o.Log.Warn("the hub reports", "error", err) }),
		nats.ClosedHandler(func(*nats.Conn) { close(c.closed) }),
	}
	if o.Key.Pair != nil {
		all = append(all, nats.Nkey(c.Key, c.pair.Sign), nats.CustomInboxPrefix(inbox(c.Key)))
	}
	if o.Key.Pin != "" {
		all = append(all, nats.Secure(pinned(o.Key.Pin)))
	}
	if o.Process != nil {
		all = append(all, nats.InProcessServer(o.Process))
	}
	return all
}

// inbox returns the subjects under which the holder of a key gets answers.
func inbox(key string) string { return "_INBOX_" + key }

// WorkerRights returns the subjects to which the holder of a worker's key may publish, and
// which it may subscribe to, in the account of workers.
func WorkerRights(key string) (publish, subscribe string) {
	return "gate." + key + ".>", inbox(key) + ".>"
}

// Sign signs a text with the client's key.
func (c *Conn) Sign(text []byte) ([]byte, error) { return c.pair.Sign(text) }

// Retry does something again while the hub is away, for a time. It returns what can never succeed
// at once, and otherwise the last error, or why the connection is closed.
func (c *Conn) Retry(ctx context.Context, bound time.Duration, do func(context.Context) error) error {
	for began := time.Now(); ; {
		err := do(ctx)
		if err == nil || errors.As(err, new(final)) {
			return err
		}
		if ctx.Err() != nil || time.Since(began) >= bound {
			return fmt.Errorf("the hub does not answer: %w", errors.Join(context.Cause(ctx), err))
		}
		c.Warn(err)
		select {
		case <-ctx.Done():
		case <-c.closed:
			return c.Err()
		case <-time.After(retryWait):
		}
	}
}

// Warn logs that a request to the hub failed and why, at most every few seconds.
func (c *Conn) Warn(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.warned) >= warnEvery {
		c.warned = time.Now()
		c.options.Log.Warn("waiting for the hub", "hub", c.options.URL, "error", why)
	}
}

// Closed is closed when the hub has refused the client for good, or Close was called: the
// connection will not come back.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

// Err returns why the connection is closed.
func (c *Conn) Err() error {
	return fmt.Errorf("the hub refuses this client: %w", c.explain(c.NC.LastError()))
}

// Close ends the connection.
func (c *Conn) Close() { c.NC.Close() }

// final is an error that stays however often one tries.
type final string

func (e final) Error() string { return string(e) }

// explain says what an error means for whoever uses the farm.
func (c *Conn) explain(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers): // all that the library tells
		return errors.New("connection refused")
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return final("the server knows no keys: want a hub, or a cluster with the accounts that farm enrol --accounts writes")
	case errors.As(err, new(*tls.CertificateVerificationError)) && c.options.Key.Pin == "":
		return final("its certificate is named only by the keys of that hub: want --key FILE")
	case errors.Is(err, nats.ErrAuthorization) && c.options.Key.Pair != nil:
		return final("it has not enrolled this key")
	case errors.Is(err, nats.ErrAuthorization):
		return final("it demands a key: want --key FILE")
	}
	return err
}

// pinned returns settings of TLS that trust one certificate, by its hash and nothing else: neither
// names, which farms do not have, nor dates, since a clock may be wrong.
func pinned(pin string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection does it
		VerifyConnection: func(s tls.ConnectionState) error {
			if sum := sha256.Sum256(s.PeerCertificates[0].Raw); hex.EncodeToString(sum[:]) != pin {
				return errors.New("the hub's certificate is not the one that the key names: it is another hub, or something between")
			}
			return nil
		},
	}
}
