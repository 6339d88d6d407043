package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/internal/files"
)

// Conn is a connection to a hub. It reconnects for ever; until then requests fail.
type Conn struct {
	NC  *nats.Conn
	JS  jetstream.JetStream
	Key string // the public key of the client, "" without one

	farm, status, workers jetstream.KeyValue // the last two are for owners
	inputs                jetstream.ObjectStore
	closed                chan struct{} // when the hub has refused the client for good, or Close was called
	options               ConnectOptions
	mu                    sync.Mutex
	warned                time.Time // when the log last said that the hub is away
}

// ConnectOptions say how to connect.
type ConnectOptions struct {
	URL     string                     // nats://HOST:PORT
	Key     Key                        // zero for an owner on loopback
	Process nats.InProcessConnProvider // a server in this process, instead of URL
	AckWait time.Duration              // after which a job whose worker is silent is given to another; 0: a minute
	Log     *slog.Logger
}

const (
	startWait  = 10 * time.Minute       // for which streams may be away when a command begins
	retryWait  = 500 * time.Millisecond // between two tries
	warnEvery  = 5 * time.Second        // between two warnings about a hub that is away
	answerWait = 10 * time.Second       // in which the hub has to answer
	inbox      = "_INBOX_"              // begins the subjects under which the holder of a key gets answers
	Forever    = time.Duration(1 << 62) // longer than any process lives
)

// Dial connects. An owner makes the streams and buckets that are not there. While the server cannot be reached it tries
// again, up to a bound, and says so in the log; an error that cannot go away ends it at once.
func Dial(ctx context.Context, o ConnectOptions, bound time.Duration) (c *Conn, err error) {
	ctx, o.AckWait = noDeadline{ctx}, cmp.Or(o.AckWait, time.Minute)
	c = &Conn{closed: make(chan struct{}), options: o, Key: o.Key.Public}
	err = c.Retry(ctx, bound, func(context.Context) (err error) {
		if c.NC, err = nats.Connect(o.URL, c.settings()...); err != nil {
			err = fmt.Errorf("no connection to %s: %w", o.URL, c.explain(err))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.JS, err = jetstream.New(c.NC, jetstream.WithPublishAsyncTimeout(answerWait),
		jetstream.WithPublishAsyncMaxPending(2*queueAtOnce), jetstream.WithDefaultTimeout(answerWait))
	switch {
	case err != nil:
	case o.Key.Role == RoleWorker:
		err = c.Retry(ctx, bound, func(ctx context.Context) (err error) {
			if c.farm, err = c.JS.KeyValue(ctx, farmBucket); err == nil {
				c.inputs, err = c.JS.ObjectStore(ctx, inputsBucket)
			}
			return err
		})
	default:
		err = c.Retry(ctx, max(bound, startWait), c.ensure)
	}
	if err != nil {
		c.Close()
	}
	return c, err
}

// settings returns how the connection is made and kept. A silent one is given up after 20 to 30 seconds. A request
// while it is down fails and is made again by its caller; from a buffer it would be made twice.
func (c *Conn) settings() []nats.Option {
	o := &c.options
	all := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(retryWait), nats.ReconnectJitter(retryWait, 2*retryWait),
		nats.ReconnectBufSize(-1), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // nil where Close was called
				o.Log.Warn("lost the connection to the hub", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { o.Log.Info("connected again", "url", nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Log.Warn("the hub reports", "error", err)
		}),
		nats.ClosedHandler(func(*nats.Conn) { close(c.closed) }),
	}
	if o.Key.Pair != nil {
		all = append(all, nats.Nkey(c.Key, o.Key.Pair.Sign), nats.CustomInboxPrefix(inbox+c.Key))
	}
	if o.Key.Pin != "" {
		all = append(all, nats.Secure(pinned(o.Key.Pin)))
	}
	if o.Process != nil {
		all = append(all, nats.InProcessServer(o.Process))
	}
	return all
}

// WorkerRights returns the subjects to which the holder of a worker's key may publish, and which it may subscribe to:
// it takes and acknowledges jobs, publishes in its own name, and reads what operators want and the inputs of runs.
func WorkerRights(key string) (publish []string, subscribe string) {
	return []string{
		"results.*.*." + key, "failed.*.*." + key, "$KV." + workersBucket + "." + key,
		"$JS.API.CONSUMER.INFO." + JobsStream + ".*", "$JS.API.CONSUMER.MSG.NEXT." + JobsStream + ".*",
		"$JS.ACK." + JobsStream + ".>", "$JS.FC.>",
		"$JS.API.STREAM.INFO.KV_" + farmBucket, "$JS.API.DIRECT.GET.KV_" + farmBucket + ".>",
		"$JS.API.STREAM.INFO." + inputsStream, "$JS.API.DIRECT.GET." + inputsStream + ".>",
		"$JS.API.CONSUMER.CREATE." + inputsStream + ".>", "$JS.API.CONSUMER.DELETE." + inputsStream + ".*",
	}, inbox + key + ".>"
}

// Retry does something again while the hub is away, for a time. It returns what can never succeed at once, and
// otherwise the last error, or why the connection is closed.
func (c *Conn) Retry(ctx context.Context, bound time.Duration, do func(context.Context) error) error {
	for began := time.Now(); ; {
		err := do(ctx)
		if err == nil || errors.As(err, new(failure)) {
			return err
		}
		if ctx.Err() != nil || time.Since(began) >= bound {
			return fmt.Errorf("the hub does not answer: %w", errors.Join(context.Cause(ctx), err))
		}
		c.Warn(err)
		select {
		case <-ctx.Done():
		case <-c.closed:
			return c.err()
		case <-time.After(retryWait):
		}
	}
}

// noDeadline is a context without its deadline, at which it still ends. The client ends a request after answerWait only
// where its context has no deadline; otherwise one whose answer is lost with the connection waits until then.
type noDeadline struct{ context.Context }

func (noDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

// Warn logs that a request to the hub failed and why, at most every few seconds.
func (c *Conn) Warn(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.warned) >= warnEvery {
		c.warned = time.Now()
		c.options.Log.Warn("waiting for the hub", "hub", c.options.URL, "error", why)
	}
}

// err returns why the connection is closed.
func (c *Conn) err() error {
	return fmt.Errorf("the hub refuses this client: %w", c.explain(c.NC.LastError()))
}

// Close ends the connection.
func (c *Conn) Close() { c.NC.Close() }

// failure is an error that stays however often one tries, such as why a run cannot go on.
type failure string

func (f failure) Error() string { return string(f) }

// explain says what an error means for whoever uses the farm.
func (c *Conn) explain(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers): // all that the library tells
		return errors.New("connection refused")
	case errors.As(err, new(*tls.CertificateVerificationError)) && c.options.Key.Pin == "":
		return failure("its certificate is named only by the keys of that hub: want --key FILE")
	case errors.Is(err, nats.ErrAuthorization) && c.options.Key.Pair != nil:
		return failure("it has not enrolled this key, or has revoked it")
	case errors.Is(err, nats.ErrAuthorization):
		return failure("it demands a key: want --key FILE")
	}
	return err
}

// pinned returns settings of TLS that trust one certificate, by its hash and nothing else: neither names, which farms
// do not have, nor dates, since a clock may be wrong.
func pinned(pin string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection does it
		VerifyConnection: func(s tls.ConnectionState) error {
			if sum := sha256.Sum256(s.PeerCertificates[0].Raw); hex.EncodeToString(sum[:]) != pin {
				return errors.New("the hub's certificate is not the one that the key names: is it another hub?")
			}
			return nil
		},
	}
}

// Key lets a client in. Its file has one line, ROLE-SEED-PIN.
type Key struct {
	Role   string        // RoleWorker or RoleOwner
	Pair   nkeys.KeyPair // nil for no key
	Public string        // names the holder
	Pin    string        // SHA-256 of the hub's certificate, hexadecimal; "" for loopback
}

// The roles of keys.
const (
	RoleWorker = "work" // takes jobs and publishes results
	RoleOwner  = "own"  // starts runs, ends them, and operates the farm
)

// NewKey returns a new key of a role for the hub with the given certificate.
func NewKey(role, pin string) (k Key, err error) {
	k = Key{Role: role, Pin: pin}
	if k.Pair, err = nkeys.CreateUser(); err == nil {
		k.Public, err = k.Pair.PublicKey()
	}
	return k, err
}

// OwnKey returns the key of a file, a new one of a role and a hub where there is no file.
func OwnKey(name, role, pin string) (k Key, err error) {
	_, err = files.Secret(name, func() ([]byte, error) {
		if k, err = NewKey(role, pin); err != nil {
			return nil, err
		}
		seed, err := k.Pair.Seed()
		return fmt.Appendf(nil, "%s-%s-%s\n", role, seed, pin), err
	})
	if err != nil {
		return k, err
	}
	if k, err = ReadKey(name); err == nil && (k.Role != role || k.Pin != pin) {
		err = fmt.Errorf("%s: the key has another role or is of another certificate: remove it", name)
	}
	return k, err
}

// ReadKey reads the key of a file. Errors: the file cannot be read or is no key.
func ReadKey(name string) (k Key, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return k, err
	}
	parts := strings.Split(strings.TrimSpace(string(text)), "-")
	if len(parts) == 3 && (parts[0] == RoleWorker || parts[0] == RoleOwner) && (parts[2] == "" || len(parts[2]) == 64) {
		k = Key{Role: parts[0], Pin: parts[2]}
		if k.Pair, err = nkeys.FromSeed([]byte(parts[1])); err == nil {
			k.Public, err = k.Pair.PublicKey()
		}
	}
	if k.Pair == nil || err != nil {
		return k, fmt.Errorf("%s: no key: want a file that tabula-farm hub or tabula-farm enrol wrote", name)
	}
	return k, nil
}
