package link

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// Conn is a connection to a hub or a NATS cluster. It reconnects for ever; meanwhile
// what is asked fails.
type Conn struct {
	NC  *nats.Conn
	JS  jetstream.JetStream
	Key string // the public key of the client; results are signed with it

	pair      nkeys.KeyPair
	closed    chan struct{}
	connected chan struct{} // closed by the first success
	options   Options
	log       *slog.Logger
	trouble   trouble

	mu   sync.Mutex
	life context.Context // ends when the connection is lost, and then is another
	lose context.CancelCauseFunc
}

// Options say how to connect.
type Options struct {
	URL     string                     // nats://HOST:PORT, several with "," between them
	Name    string                     // for the server's log
	Key     Key                        // zero for an owner on loopback
	Machine string                     // of a worker: tells machines with one key apart
	Process nats.InProcessConnProvider // a server in this process, instead of URL
	Log     *slog.Logger               // nil for none
}

// CheckURL returns an error for a text that names no server, or several of which
// one is none.
func CheckURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		full := strings.TrimSpace(one)
		if !strings.Contains(full, "://") {
			full = "nats://" + full
		}
		u, err := url.Parse(full)
		if err == nil && (u.Hostname() == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme)) {
			err = errors.New("no host of NATS")
		}
		if err == nil && u.Port() != "" {
			_, err = strconv.ParseUint(u.Port(), 10, 16)
		}
		if err != nil {
			return fmt.Errorf("%q: want nats://HOST:PORT", one)
		}
	}
	return nil
}

// Dial connects. While the server cannot be reached it tries again and logs that;
// only what can never succeed is an error.
func Dial(o Options) (*Conn, error) {
	c := &Conn{closed: make(chan struct{}), connected: make(chan struct{}), options: o, log: o.Log}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.live()
	who, err := c.identity()
	if err != nil {
		return nil, err
	}
	if o.Process == nil {
		late := time.AfterFunc(firstWord, func() { c.Say(c.reason()) })
		defer late.Stop()
	}
	nc, err := nats.Connect(o.URL, append(c.behaviour(), who...)...)
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", o.URL, err)
	}
	c.NC = nc
	if c.JS, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(4096), jetstream.WithPublishAsyncTimeout(answerWait)); err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

// behaviour returns how the connection is kept and what it tells.
func (c *Conn) behaviour() []nats.Option {
	return []nats.Option{
		nats.Name(c.options.Name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(500*time.Millisecond, time.Second),
		// A wire that falls silent is given up after 20 to 30 seconds. That is no
		// sooner, so that a machine under load is not taken for gone, and no later,
		// so that the job under way is heard of again before its AckWait is over.
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		// A write holds the connection's lock: on a silent wire whose buffers are
		// full no question could end before it.
		nats.FlusherTimeout(answerWait),
		// What is asked while the connection is down fails and is asked again
		// later by whoever asked; kept in a buffer it would be done twice.
		nats.ReconnectBufSize(-1),
		nats.SetCustomDialer(dialer{c}),
		nats.ConnectHandler(func(*nats.Conn) { close(c.connected) }),
		nats.ReconnectErrHandler(c.failed),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.live()
			if err != nil { // none where Close was called
				c.log.Warn("the hub is out of reach", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { c.log.Info("the hub is back", "url", nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.log.Warn("the hub says", "error", err) }),
		nats.ClosedHandler(func(*nats.Conn) { close(c.closed) }),
	}
}

// identity returns how the client shows who it is.
func (c *Conn) identity() (opts []nats.Option, err error) {
	o := &c.options
	if c.pair = o.Key.Pair; c.pair == nil {
		if c.pair, err = nkeys.CreateUser(); err != nil { // it signs, and shows nothing
			return nil, err
		}
	}
	if c.Key, err = c.pair.PublicKey(); err != nil {
		return nil, err
	}
	switch {
	case o.Key.Creds != "":
		opts = append(opts, nats.UserCredentials(o.Key.Creds), nats.CustomInboxPrefix(inboxPrefix(c.Key)))
	case o.Key.Pair != nil:
		opts = append(opts, nats.Nkey(c.Key, c.pair.Sign), nats.CustomInboxPrefix(inboxPrefix(c.Key)))
	}
	if o.Key.Pin != "" {
		opts = append(opts, nats.Secure(pinned(o.Key.Pin)))
	}
	if o.Process != nil {
		opts = append(opts, nats.InProcessServer(o.Process))
	}
	return opts, nil
}

// Worker returns the name under which this connection works: its key and its machine.
func (c *Conn) Worker() string { return c.Key + "." + c.options.Machine }

// Sign signs a text with the client's key.
func (c *Conn) Sign(text []byte) ([]byte, error) { return c.pair.Sign(text) }

// errLost says that the connection was lost: no answer will come through it.
var errLost = errors.New("the hub went out of reach before it answered")

// errLate says that the hub is within reach and does not answer.
var errLate = fmt.Errorf("the hub has not answered for %v", answerWait)

// answerWait is the time in which an answer, or the next part of one, has to come.
const answerWait = 10 * time.Second

// live begins a life of the connection and ends the last one.
func (c *Conn) live() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lose != nil {
		c.lose(errLost)
	}
	c.life, c.lose = context.WithCancelCause(context.Background())
}

// within returns a context that also ends when the connection is lost: what was
// asked before is never answered after.
func (c *Conn) within(ctx context.Context) (context.Context, context.CancelFunc) {
	c.mu.Lock()
	life := c.life
	c.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(life, func() { cancel(errLost) })
	return ctx, func() { stop(); cancel(nil) }
}

// Ask asks the hub something, which ends with the answer, the loss of the
// connection, after a while, or with ctx; the error of the last three is the
// reason. Every question goes through it or bounds itself likewise: a kill of the
// hub takes questions with it, and a deadline of ctx may be days away.
func (c *Conn) Ask(ctx context.Context, question func(context.Context) error) error {
	ctx, leave := c.within(ctx)
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, answerWait, errLate)
	defer cancel()
	err := question(ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && !c.NC.IsConnected() {
		return c.reason()
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("the server keeps no streams, JetStream is off or just starts: %w", err)
	}
	return err
}

// Close ends the connection.
func (c *Conn) Close() { c.NC.Close() }

// pinned returns settings of TLS that trust one certificate, by its hash and
// nothing else: neither names, which farms do not have, nor dates, since a
// clock may be wrong.
func pinned(pin string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection does it
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return errors.New("the hub has no certificate")
			}
			sum := sha256.Sum256(s.PeerCertificates[0].Raw)
			if hex.EncodeToString(sum[:]) != pin {
				return errors.New("the hub's certificate is not the one that the key names: it is another hub, or something between")
			}
			return nil
		},
	}
}

// Verify reports whether the worker with the given public key signed the bytes.
func Verify(worker string, signed, sig []byte) error {
	key, err := nkeys.FromPublicKey(worker)
	if err != nil {
		return err
	}
	return key.Verify(signed, sig)
}
