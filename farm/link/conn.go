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

	pair    nkeys.KeyPair
	closed  chan struct{}
	options Options
	log     *slog.Logger

	mu   sync.Mutex
	said time.Time // when it was last said that the hub is away
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

// retry is the time between two tries to connect, sayFirst the time after which the log tells
// of one that has not ended, and sayAgain the time between two words about a hub that is away.
const (
	retry    = 500 * time.Millisecond
	sayFirst = 1500 * time.Millisecond
	sayAgain = 5 * time.Second
)

// Dial connects. While the server cannot be reached it tries again, for so long, and says so
// in the log; what can never succeed is an error at once.
func Dial(ctx context.Context, o Options, bound time.Duration) (*Conn, error) {
	c := &Conn{closed: make(chan struct{}), options: o, log: o.Log}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	who, err := c.identity()
	if err != nil {
		return nil, err
	}
	slow := time.AfterFunc(sayFirst, func() { c.Say(fmt.Errorf("no connection to %s: no answer yet", o.URL)) })
	err = c.Insist(ctx, bound, func(context.Context) (err error) {
		if c.NC, err = nats.Connect(o.URL, append(c.behaviour(), who...)...); err != nil {
			err = fmt.Errorf("no connection to %s: %w", o.URL, c.explain(err))
		}
		return err
	})
	slow.Stop()
	if err != nil {
		return nil, err
	}
	if c.JS, err = jetstream.New(c.NC, jetstream.WithPublishAsyncMaxPending(4096), jetstream.WithPublishAsyncTimeout(answerWait)); err != nil {
		c.NC.Close()
		return nil, err
	}
	return c, nil
}

// behaviour returns how the connection is kept and what it tells.
func (c *Conn) behaviour() []nats.Option {
	return []nats.Option{
		nats.Name(c.options.Name), nats.MaxReconnects(-1), nats.ReconnectWait(retry), nats.ReconnectJitter(retry, 2*retry),
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
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
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

// errLate says that the hub is within reach and does not answer.
var errLate = fmt.Errorf("the hub has not answered for %v", answerWait)

// answerWait is the time in which an answer, or the next part of one, has to come.
const answerWait = 10 * time.Second

// Ask asks the hub something, which ends with the answer, after a while, or with ctx; the
// error of the last two is the reason. Every question goes through it or bounds itself
// likewise: a kill of the hub takes questions with it, and a deadline of ctx may be days away.
func (c *Conn) Ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWait, errLate)
	defer cancel()
	err := question(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !c.NC.IsConnected():
		return fmt.Errorf("no connection to %s", c.options.URL)
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("the server keeps no streams, JetStream is off or just starts: %w", err)
	}
	return err
}

// Forever is longer than any process lives.
const Forever = 1 << 62 * time.Nanosecond

// Insist asks again where the hub is away or goes away. It gives up after some time, not
// counting what the hub was busy with when it last worked: parts of a file that arrived stay
// there. Errors: that, what can never succeed, ctx's, or why the connection is closed.
func (c *Conn) Insist(ctx context.Context, most time.Duration, question func(context.Context) error) error {
	for began := time.Now(); ; {
		asked := time.Now()
		err := question(ctx)
		if err == nil {
			return nil
		}
		if errors.As(err, new(hopeless)) {
			return err
		}
		if most > 0 && time.Since(asked) > most {
			began = time.Now() // it was at work for long: a large file
		}
		if ctx.Err() == nil && time.Since(began) >= most {
			return fmt.Errorf("the hub does not answer: %w", err)
		}
		c.Say(err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("the hub does not answer: %w", errors.Join(ctx.Err(), err))
		case <-c.Closed():
			return c.Err()
		case <-time.After(retry):
		}
	}
}

// Say says in the log that the hub cannot be asked and why, now and then however often it is
// called.
func (c *Conn) Say(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.said) >= sayAgain {
		c.said = time.Now()
		c.log.Warn("waits for the hub", "hub", c.options.URL, "error", why)
	}
}

// Closed is closed when the hub has refused the client for good, or Close was called: the
// connection will not come back.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

// Err returns why the connection is closed.
func (c *Conn) Err() error {
	return fmt.Errorf("the hub refuses this client: %w", c.explain(c.NC.LastError()))
}

// hopeless is an error that stays however often one tries.
type hopeless string

func (e hopeless) Error() string { return string(e) }

// explain says what an error means for whoever uses the farm.
func (c *Conn) explain(err error) error {
	key := &c.options.Key
	switch {
	case errors.Is(err, nats.ErrNoServers): // all that the library tells
		return errors.New("connection refused")
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return hopeless("the server has no authentication, and a worker shows a key: want a hub, or a cluster with users and --key FILE.creds")
	case errors.As(err, new(*tls.CertificateVerificationError)) && key.Pin == "":
		return hopeless("it asks for TLS with a certificate that only its keys name: want --key FILE with a key of that hub")
	case errors.Is(err, nats.ErrAuthorization) && key.Creds != "": // a cluster that is starting may not know them yet
		return fmt.Errorf("it does not know the credentials of %s: %w", key.Creds, err)
	case errors.Is(err, nats.ErrAuthorization) && key.Pin != "":
		return hopeless("it has not enrolled this key")
	case errors.Is(err, nats.ErrAuthorization):
		return hopeless("it lets in only who has a key: want --key FILE")
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
