// Package hub is the farm's centre: a NATS server in the process with JetStream in a directory of its own, the rules
// of who may do what, and the page for operators. Nothing of it stands between workers and streams.
//
// Owners may do everything, workers what [run.WorkerRights] lists. On a loopback address the hub asks for no
// credentials; on any other it demands TLS and keys, and writes the owner's key to its directory.
package hub

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
)

// ServerConfig says what a hub is.
type ServerConfig struct {
	Dir    string // its streams and secrets; of this process alone
	Listen string // HOST:PORT
	Log    *slog.Logger
	// bytes that the streams may take on the disk; 0: three quarters of what was free at the first start
	Store int64
	Seen  func(*run.Overview) // called about once a second with what the farm does; may be nil
}

// Hub is a hub that is running.
type Hub struct {
	ServerConfig
	Conn *run.Conn // as owner

	lock   io.Closer
	server *server.Server
	broken chan string   // why the server cannot go on
	tls    *tls.Config   // nil on loopback
	own    run.Key       // of the farm's owner; zero on loopback
	ready  chan struct{} // closed when there is Conn
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// What one connection, and all those of a key, may take of the hub, and times.
const (
	pendingOfConnection = 32 << 20 // bytes that wait to be sent
	subscriptions       = 1000
	connectionsOfKey    = 256
	startWait           = 5 * time.Minute // in which the server reads its streams
	sweepEvery          = time.Minute     // while the store is full
	authWait            = time.Minute     // to let a client in
	account             = "FARM"
)

// Start starts a hub, which serves until it is closed. Its error says that the directory is another's or that it cannot
// listen.
func Start(ctx context.Context, c ServerConfig) (h *Hub, err error) {
	h = &Hub{ServerConfig: c, broken: make(chan string, 1), ready: make(chan struct{})}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	if h.lock, err = files.Lock(filepath.Join(c.Dir, "lock")); err != nil {
		return nil, fmt.Errorf("the directory of a hub, %s: %w", c.Dir, err)
	}
	ctx, h.stop = context.WithCancel(ctx)
	if err = h.startServer(); err == nil {
		h.Conn, err = run.Dial(ctx, run.ConnectOptions{Process: h.server, Key: h.own, Log: h.Log}, time.Minute)
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	close(h.ready)
	h.done.Go(func() { h.watch(ctx) })
	return h, nil
}

// watch ends the connections of keys that are revoked, makes space in a full store, and tells what the farm does.
func (h *Hub) watch(ctx context.Context) {
	var swept time.Time
	for ctx.Err() == nil {
		v, err := h.Conn.View(ctx)
		if err != nil && ctx.Err() == nil {
			h.Conn.Warn(err)
		}
		if err == nil {
			if h.Seen != nil {
				h.Seen(v)
			}
			for _, w := range v.Workers {
				if w.Revoked != nil {
					for _, c := range h.connections(w.ID) {
						_ = h.server.DisconnectClientByID(c.Cid) // it may be gone
					}
				}
			}
		}
		if err == nil && v.Full != "" && time.Since(swept) > sweepEvery {
			if swept, err = time.Now(), h.Conn.Sweep(ctx); err != nil {
				h.Conn.Warn(err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// connections returns the connections of a key.
func (h *Hub) connections(key string) []*server.ConnInfo {
	all, err := h.server.Connz(&server.ConnzOptions{Username: true, User: key, Limit: 2 * connectionsOfKey})
	if err != nil {
		return nil
	}
	return all.Conns
}

// Addr returns where the hub listens.
func (h *Hub) Addr() string { return h.server.Addr().String() }

// Guarded reports whether clients need a key.
func (h *Hub) Guarded() bool { return h.tls != nil }

// Wait waits until ctx ends, which is no error, or the server cannot write. The hub then has to be closed and started
// again.
func (h *Hub) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case why := <-h.broken:
		return fmt.Errorf("the hub cannot write (is the disk full?): %s", why)
	}
}

// Close ends the hub; what the streams hold stays.
func (h *Hub) Close() error {
	h.stop()
	h.done.Wait()
	if h.Conn != nil {
		h.Conn.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	return h.lock.Close()
}

// startServer starts the server, with the streams in an account of owners and workers.
func (h *Hub) startServer() (err error) {
	o := &server.Options{
		ServerName: "tabula-farm", NoSigs: true, NoLog: true, Accounts: []*server.Account{server.NewAccount(account)},
		JetStream: true, StoreDir: filepath.Join(h.Dir, "streams"), SyncAlways: true, SyncInterval: time.Second,
		JetStreamMaxStore: h.Store, MaxPayload: run.MaxPayload, MaxPending: pendingOfConnection, MaxSubs: subscriptions,
		CustomClientAuthentication: h, AlwaysEnableNonce: true, AuthTimeout: authWait.Seconds(),
		PingInterval: 10 * time.Second, MaxPingsOut: 3, DisableShortFirstPing: true,
	}
	at, err := net.ResolveTCPAddr("tcp", h.Listen)
	if err != nil || h.Listen == "" {
		return exit.WrongUsef("listen %q: want HOST:PORT", h.Listen)
	}
	if o.Port = cmp.Or(at.Port, server.RANDOM_PORT); at.IP != nil {
		o.Host = (&net.IPAddr{IP: at.IP, Zone: at.Zone}).String()
	}
	if !at.IP.IsLoopback() {
		if err := h.arm(); err != nil {
			return err
		}
		o.TLS, o.TLSConfig, o.TLSTimeout = true, h.tls, 10
	}
	// What the streams hold is not free any more when the hub is started again.
	limit := filepath.Join(h.Dir, "store")
	if text, err := files.Read(limit); o.JetStreamMaxStore == 0 && err == nil {
		if o.JetStreamMaxStore, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err != nil ||
			o.JetStreamMaxStore <= 0 {
			return fmt.Errorf("%s: %q, want bytes", limit, text)
		}
	}
	if h.server, err = server.NewServer(o); err != nil {
		return err
	}
	h.server.SetLoggerV2(natsLog{h}, false, false, false)
	h.server.Start()
	began := time.Now()
	for !h.server.ReadyForConnections(100*time.Millisecond) && len(h.broken) == 0 && time.Since(began) < startWait {
	}
	farm, err := h.server.LookupAccount(account)
	switch {
	case len(h.broken) > 0:
		err = errors.New(<-h.broken)
	case err == nil && !h.server.JetStreamEnabled():
		err = errors.New("its streams are switched off: is the disk full?")
	case err == nil:
		most := h.server.JetStreamConfig().MaxStore
		if o.JetStreamMaxStore <= 0 {
			err = files.Write(limit, fmt.Appendf(nil, "%d\n", most))
		}
		limits := server.JetStreamAccountLimits{MaxStore: most, MaxMemory: -1, MaxStreams: -1, MaxConsumers: -1,
			MaxAckPending: -1, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1}
		err = errors.Join(err, farm.EnableJetStream(map[string]server.JetStreamAccountLimits{"": limits}, nil))
	}
	if err != nil {
		return fmt.Errorf("the NATS server does not start on %q, directory %s: %w", h.Listen, h.Dir, err)
	}
	return nil
}

// Check lets a client in, with the rights of its role. It shows a key, and proves that it has it by signing what the
// server asks; on loopback an owner needs none, and any key is a worker's. It makes Hub a server.Authentication.
func (h *Hub) Check(c server.ClientAuthentication) bool {
	key := c.GetOpts().Nkey
	user := &server.User{Username: key}
	if key != "" || h.tls != nil {
		pair, err := nkeys.FromPublicKey(key)
		sig, bad := base64.RawURLEncoding.DecodeString(c.GetOpts().Sig)
		if err != nil || bad != nil || pair.Verify(c.GetNonce(), sig) != nil {
			return false
		}
		if key != h.own.Public {
			if h.tls != nil && !h.isEnrolled(key) || len(h.connections(key)) >= connectionsOfKey {
				return false
			}
			publish, subscribe := run.WorkerRights(key)
			user.Permissions = &server.Permissions{Publish: &server.SubjectPermission{Allow: publish},
				Subscribe: &server.SubjectPermission{Allow: []string{subscribe}}}
		}
	}
	var err error
	user.Account, err = h.server.LookupAccount(account)
	c.RegisterUser(user)
	return err == nil
}

func (h *Hub) isEnrolled(key string) bool {
	select {
	case <-h.ready:
	case <-time.After(authWait / 2):
		return false
	}
	keys, err := h.Conn.Keys(context.Background())
	e, known := keys[key]
	return err == nil && known && e.Revoked == nil
}

// arm gives the hub a certificate, which signs itself and is named in the keys by its hash, and its owner a key.
func (h *Hub) arm() error {
	text, err := files.Secret(filepath.Join(h.Dir, "hub.pem"), func() ([]byte, error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		// Nobody looks at dates or names.
		hub := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0)}
		cert, err := x509.CreateCertificate(rand.Reader, hub, hub, &key.PublicKey, key)
		if err != nil {
			return nil, err
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), err
	})
	if err != nil {
		return err
	}
	cert, err := tls.X509KeyPair(text, text)
	if err != nil {
		return err
	}
	h.tls = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}
	sum := sha256.Sum256(cert.Certificate[0])
	h.own, err = run.OwnKey(filepath.Join(h.Dir, "own.key"), run.RoleOwner, hex.EncodeToString(sum[:]))
	return err
}

type natsLog struct{ *Hub }

func (l natsLog) Noticef(format string, v ...any) { l.Log.Debug(fmt.Sprintf(format, v...)) }
func (l natsLog) Warnf(format string, v ...any)   { l.Log.Warn(fmt.Sprintf(format, v...)) }
func (l natsLog) Debugf(string, ...any)           {}
func (l natsLog) Tracef(string, ...any)           {}
func (l natsLog) Fatalf(format string, v ...any)  { l.Errorf("fatal: "+format, v...) }

// Errorf also sees when a write has failed: the server then takes nothing more for that stream until it is started
// again, and tells that nowhere else.
func (l natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.Log.Error(text)
	for _, end := range []string{"fatal: ", "critical write error", "resource limits exceeded for server"} {
		if strings.Contains(text, end) {
			select {
			case l.broken <- text:
			default:
			}
		}
	}
}
