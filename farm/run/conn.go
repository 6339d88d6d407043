package run

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
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
)

// Conn is a connection to a hub or a NATS cluster. It reconnects for ever; until then requests fail. Workers do not
// reach the buckets.
type Conn struct {
	NC  *nats.Conn
	JS  jetstream.JetStream
	Key string // the public key of the client, "" without one

	Runs, Status, Workers, Operate jetstream.KeyValue

	closed  chan struct{}
	options Options

	mu     sync.Mutex
	warned time.Time // when the log last said that the hub is away
}

// Options say how to connect.
type Options struct {
	URL     string                     // nats://HOST:PORT, several with "," between them
	Key     Key                        // zero for an owner on loopback
	Process nats.InProcessConnProvider // a server in this process, instead of URL
	Log     *slog.Logger
}

const (
	retryWait  = 500 * time.Millisecond // between two tries
	warnEvery  = 5 * time.Second        // between two warnings about a hub that is away
	answerWait = 10 * time.Second       // in which the hub has to answer

	// Forever is longer than any process lives.
	Forever = 1 << 62 * time.Nanosecond
)

// Dial connects, an owner also to the streams and buckets, which it makes where they are not there. While the server
// cannot be reached it tries again, up to a bound, and says so in the log; an error that cannot go away ends it at
// once.
func Dial(ctx context.Context, o Options, bound time.Duration) (c *Conn, err error) {
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
		jetstream.WithPublishAsyncMaxPending(2*ahead), jetstream.WithDefaultTimeout(answerWait))
	if err == nil && o.Key.Role != RoleWorker {
		err = c.Retry(ctx, max(bound, startWait), c.ensure)
	}
	return c, err
}

// settings returns how the connection is made and kept. A silent connection is given up after 20 to 30 seconds: no
// sooner, so that a machine under load is not taken for gone. A request while it is down fails and is made again by
// its caller; from a buffer it would be made twice.
func (c *Conn) settings() []nats.Option {
	o := &c.options
	all := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(retryWait),
		nats.ReconnectJitter(retryWait, 2*retryWait), nats.ReconnectBufSize(-1),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
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
		all = append(all, nats.Nkey(c.Key, c.Sign), nats.CustomInboxPrefix(inbox(c.Key)))
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

// WorkerRights returns the subjects to which the holder of a worker's key may publish, and which it may subscribe to,
// in the account of workers.
func WorkerRights(key string) (publish, subscribe string) {
	return "gate." + key + ".>", inbox(key) + ".>"
}

// Sign signs a text with the client's key.
func (c *Conn) Sign(text []byte) ([]byte, error) { return c.options.Key.Pair.Sign(text) }

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
		if errors.Is(err, errAgain) {
			c.options.Log.Info(err.Error())
		} else {
			c.Warn(err)
		}
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

// Closed is closed when the hub has refused the client for good, or Close was called: the connection will not come
// back.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

// Err returns why the connection is closed.
func (c *Conn) Err() error {
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
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return failure("the server knows no keys: want a hub, or a cluster with what tabula-farm enrol --accounts writes")
	case errors.As(err, new(*tls.CertificateVerificationError)) && c.options.Key.Pin == "":
		return failure("its certificate is named only by the keys of that hub: want --key FILE")
	case errors.Is(err, nats.ErrAuthorization) && c.options.Key.Pair != nil:
		return failure("it has not enrolled this key")
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
	Pin    string        // SHA-256 of the hub's certificate, hexadecimal; "" for loopback and clusters
}

// The roles of keys.
const (
	RoleWorker = "work" // gets jobs and reports results
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

// Secret returns the content of a file that only its owner reads. Where there is no file, it is made.
func Secret(name string, make func() ([]byte, error)) (text []byte, err error) {
	if text, err = os.ReadFile(name); !errors.Is(err, os.ErrNotExist) {
		return text, err
	}
	if text, err = make(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	return text, err
}

// OwnKey returns the key of a file, a new one of a role and a hub where there is no file.
func OwnKey(name, role, pin string) (k Key, err error) {
	_, err = Secret(name, func() ([]byte, error) {
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

// Protocol is the version of the messages between workers and hub. A worker with another one is refused.
const Protocol = 4

// Times are those of the messages between workers and hub.
type Times struct {
	AckWait time.Duration // a job whose worker is silent for so long is given to another
	Hold    time.Duration // between two signs of life; a worker with free cores asks ten times as often
	Longest time.Duration // after which a job is taken from its worker, whatever that says
}

// Usual returns the times of a farm.
func Usual() Times {
	return Times{AckWait: time.Minute, Hold: 15 * time.Second, Longest: time.Hour}
}

// Machine is what a worker tells of itself.
type Machine struct {
	Protocol int            `json:"protocol"`
	Kinds    map[string]int `json:"kinds"`  // versions of the kinds of work that it knows
	Uptime   float64        `json:"uptime"` // seconds
	Host     string         `json:"host"`
	Cores    int            `json:"cores"`
	Commit   string         `json:"commit"`
	Path     string         `json:"path"`             // kernels that its processor runs
	Bench    uint64         `json:"bench"`            // nodes of its engine's bench
	NPS      float64        `json:"nps"`              // nodes a second of one core, all cores at work
	Done     int            `json:"done"`             // jobs since it was started
	Failed   string         `json:"failed,omitempty"` // the last error of a job
}

// Worker is a worker as the hub has heard from it last.
type Worker struct {
	Machine
	Running int    `json:"running"`        // jobs
	Note    string `json:"note,omitempty"` // why it has nothing to do
}

// Ask asks for jobs and says which are under way.
type Ask struct {
	Machine
	Want    int      `json:"want"`   // cores that are free
	Tokens  []string `json:"tokens"` // of the jobs under way
	Leaving bool     `json:"leaving,omitempty"`
}

// Lease is a job in the hands of a worker. The token proves to any hub of the farm that the worker was given it.
type Lease struct {
	Job   Job    `json:"job"`
	Token string `json:"token"`
}

// Answer is the hub's answer to all that a worker sends.
type Answer struct {
	Jobs    []Lease  `json:"jobs,omitempty"`    // of one run
	Note    string   `json:"note,omitempty"`    // why there are none now
	Refused string   `json:"refused,omitempty"` // why there will never be any
	Leave   bool     `json:"leave,omitempty"`   // the operator drains the worker
	Stop    []string `json:"stop,omitempty"`    // tokens of jobs that are not wanted any more
	Error   string   `json:"error,omitempty"`   // why this cannot be done now: try again
	Data    []byte   `json:"data,omitempty"`    // part of an input
	Size    int      `json:"size,omitempty"`    // of the whole input

	Manifest json.RawMessage `json:"manifest,omitempty"` // of the run of the jobs: it may be large
}

// Fetch asks for a part of an input of a run.
type Fetch struct {
	Index int `json:"index"` // of the input in the manifest
	From  int `json:"from"`
}

// TokenHeader names the header with the token of the job that a message is about.
const TokenHeader = "Farm-Token"

// Tell sends a request of a worker to the hub, as gate.KEY.VERB, and waits for the answer:
//
//	ask     an Ask           jobs wanted and under way; also the sign of life
//	report  as Seal makes    what the job of the token came to
//	fail    a text           why the job of the token could not be done
//	input   a Fetch          a part of an input, for the job of the token
func (c *Conn) Tell(ctx context.Context, verb, token string, data []byte, wait time.Duration) (a Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("the hub has not answered for %v", wait))
	defer cancel()
	m := nats.NewMsg("gate." + c.Key + "." + verb)
	m.Header.Set(TokenHeader, token)
	m.Data = data
	got, err := c.NC.RequestMsgWithContext(ctx, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return a, errors.New("no hub answers")
	case err != nil && ctx.Err() != nil:
		return a, context.Cause(ctx)
	case err != nil:
		return a, err
	}
	if err = json.Unmarshal(got.Data, &a); err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}
