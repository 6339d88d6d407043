package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Config says what a hub is.
type Config struct {
	Dir    string // its streams and secrets; of this process alone
	Listen string // HOST:PORT; "" for clients in this process only
	Open   run.Opener
	Times  link.Times
	Log    *slog.Logger // nil for none
	Store  int64        // bytes that the streams may take on the disk; 0: three quarters of what is free

	// Alone says that the only worker is in this process.
	Alone bool
	// Keep is how long a run that is over is kept; 0 for ever.
	Keep time.Duration

	// Report, which may be nil, is given a view of the farm about once a second.
	Report func(*coordinator.View)
}

// Hub is a hub that is running.
type Hub struct {
	Config
	Conn  *link.Conn // as owner
	guard guard
	lock  files.File
	log   *slog.Logger

	broken chan string // why the server cannot go on

	server *server.Server
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Start starts a hub. Its error says that the directory is another's or that it
// cannot listen.
func Start(c Config) (h *Hub, err error) {
	h = &Hub{Config: c, log: c.Log, guard: guard{workers: map[string]bool{}}, broken: make(chan string, 1)}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := files.OS().Update(filepath.Join(c.Dir, "lock"))
	if errors.Is(err, files.ErrInUse) {
		return nil, fmt.Errorf("another hub is at work in %s: %w", c.Dir, err)
	} else if err != nil {
		return nil, err
	}
	h.lock = lock
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	opts, err := h.options()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			stop()
		}
	}()
	if err := h.startServer(opts); err != nil {
		return nil, err
	}
	if h.Conn, err = link.Dial(ctx, link.Options{Name: "hub", Process: h.server, Key: h.guard.own, Log: h.log}, time.Minute); err != nil {
		h.stopServer()
		return nil, err
	}
	h.stop = stop
	if err := errors.Join(h.Conn.Ensure(ctx), h.admit(ctx)); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.done.Go(func() {
		if err := coordinator.Serve(ctx, h.Conn, coordinator.Config{Store: store{h.Conn, h.server}, Open: c.Open, Times: c.Times, Log: h.log, Alone: c.Alone, Keep: c.Keep}, c.Report); ctx.Err() == nil {
			h.log.Error("the coordinator has ended", "error", err)
		}
	})
	return h, nil
}

// Addr returns where the hub listens.
func (h *Hub) Addr() net.Addr { return h.server.Addr() }

// InProcessConn connects a client of this process.
func (h *Hub) InProcessConn() (net.Conn, error) { return h.server.InProcessConn() }

// Wait waits until ctx ends, which is no error, or the hub cannot go on: its disk is full, or
// what it may take of it is used up. It then has to be closed and started again.
func (h *Hub) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case why := <-h.broken:
		return fmt.Errorf("the hub cannot write (is the disk full, or --store used up?): %s", why)
	}
}

// Close ends the hub; what the streams hold stays.
func (h *Hub) Close() error {
	h.stop()
	h.done.Wait()
	h.Conn.Close()
	h.stopServer()
	return h.lock.Close()
}

// admit lets in who is enrolled, now and later.
func (h *Hub) admit(ctx context.Context) error {
	_, err := h.Conn.NC.Subscribe("key.*", func(m *nats.Msg) {
		var k link.Enrolled
		if err := json.Unmarshal(m.Data, &k); err != nil {
			h.log.Warn("a key that cannot be read", "error", err)
			return
		}
		h.guard.enrol(k)
	})
	if err != nil {
		return err
	}
	keys, err := h.Conn.Keys(ctx)
	for _, k := range keys {
		h.guard.enrol(k)
	}
	return err
}

// maxPayload bounds a message: what a view of ten thousand workers takes.
const maxPayload = 8 << 20

// options returns the server's settings.
func (h *Hub) options() (*server.Options, error) {
	o := &server.Options{
		ServerName: "tabula-farm", DontListen: h.Listen == "", NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: filepath.Join(h.Dir, "streams"), SyncAlways: true, SyncInterval: time.Second,
		JetStreamMaxStore: h.Store, MaxPayload: maxPayload,
		CustomClientAuthentication: &h.guard, AlwaysEnableNonce: true,
		PingInterval: 10 * time.Second, MaxPingsOut: 3, DisableShortFirstPing: true,
	}
	if h.Listen == "" {
		return o, nil
	}
	host, port, err := net.SplitHostPort(h.Listen)
	if err == nil {
		o.Port, err = strconv.Atoi(port)
	}
	if err != nil {
		return nil, fmt.Errorf("listen %q: want HOST:PORT: %w", h.Listen, err)
	}
	if o.Host = host; o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if !isLoopback(host) {
		if err := h.guard.arm(h.Dir); err != nil {
			return nil, err
		}
		o.TLS, o.TLSConfig, o.TLSTimeout = true, h.guard.tls, 10
	}
	return o, nil
}

// Guarded reports whether clients need a key.
func (h *Hub) Guarded() bool { return h.guard.tls != nil }
