package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/files"
)

// Config says what a hub is.
type Config struct {
	Dir    string // its streams and secrets; of this process alone
	Listen string // HOST:PORT; "" for clients in this process only
	Open   run.Opener
	Times  link.Times
	Log    *slog.Logger // nil for none
	Store  int64        // bytes that the streams may take on the disk; 0: three quarters of what is free

	// Coordinator says that the hub sees all open runs through. A command that has
	// an own hub looks after its own run.
	Coordinator bool

	// Report, which may be nil, is told where each run stands. It may be called
	// by several goroutines.
	Report func(coordinator.Status)
}

// Hub is a hub that is running.
type Hub struct {
	Config
	Conn  *link.Conn // as owner
	guard guard
	lock  files.File
	log   *slog.Logger

	broken atomic.Bool // the server cannot write; see natsLog

	mu     sync.Mutex
	server *server.Server
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Start starts a hub. Its error says that the directory is another's or that it
// cannot listen.
func Start(c Config) (h *Hub, err error) {
	h = &Hub{Config: c, log: c.Log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := files.OS().Update(filepath.Join(c.Dir, "lock"))
	if err != nil {
		return nil, err
	}
	h.lock = lock
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	if err := lock.Lock(); err != nil {
		return nil, fmt.Errorf("another hub is at work in %s: %w", c.Dir, err)
	}
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
	if err := h.startServer(ctx, opts); err != nil {
		return nil, err
	}
	if h.Conn, err = link.Dial(link.Options{Name: "hub", Process: h, Token: h.token(link.RoleOwner), Log: h.log}); err != nil {
		h.stopServer()
		return nil, err
	}
	h.stop = stop
	h.done.Go(func() { h.supervise(ctx, opts) })
	if err := h.ensure(ctx); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	if c.Coordinator {
		h.done.Go(func() { h.coordinator(ctx) })
	}
	return h, nil
}

// Addr returns where the hub listens.
func (h *Hub) Addr() net.Addr {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.server.Addr()
}

// Close ends the hub; what the streams hold stays.
func (h *Hub) Close() error {
	h.stop()
	h.done.Wait()
	h.Conn.Close()
	h.stopServer()
	return h.lock.Close()
}

// ensure makes the streams. Where the machine is so busy that the hub's own
// connection is not there yet, it waits for it.
func (h *Hub) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !h.Conn.NC.IsConnected() && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	return h.Conn.Ensure(ctx)
}

// coordinator sees every open run through until ctx ends.
func (h *Hub) coordinator(ctx context.Context) {
	var coordinators sync.WaitGroup
	defer coordinators.Wait()
	var mu sync.Mutex
	at := map[string]bool{}
	for {
		open, err := h.Conn.OpenRuns(ctx)
		if err == nil {
			if banned, err := h.Conn.Banned(ctx); err == nil {
				h.guard.ban(banned)
			}
		}
		for _, o := range open {
			mu.Lock()
			busy := at[o.Run]
			at[o.Run] = true
			mu.Unlock()
			if busy {
				continue
			}
			coordinators.Go(func() {
				if err := h.seeThrough(ctx, o.Run); err != nil && ctx.Err() == nil {
					h.log.Error("a run is not looked after", "run", o.Run, "error", err)
					// What ails it, the run's owner has to mend; to read all its
					// results again at once would not help.
					select {
					case <-ctx.Done():
					case <-time.After(h.Times.AckWait):
					}
				}
				mu.Lock()
				delete(at, o.Run)
				mu.Unlock()
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(h.Times.Alive/4, 50*time.Millisecond)):
		}
	}
}

// seeThrough sees one run through.
func (h *Hub) seeThrough(ctx context.Context, id string) error {
	m, err := h.Conn.Manifest(ctx, id)
	if err != nil {
		h.log.Warn("waits", "for", err)
		return nil // and is asked again
	}
	plan, err := h.Open(m)
	if err != nil {
		return err
	}
	_, err = coordinator.Run(ctx, coordinator.Config{Conn: h.Conn, Manifest: m, Plan: plan, Times: h.Times, Log: h.log, Report: h.Report})
	return err
}

// options returns the server's settings.
func (h *Hub) options() (*server.Options, error) {
	o := &server.Options{
		ServerName: "tabula-farm", DontListen: h.Listen == "", NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: filepath.Join(h.Dir, "streams"), SyncAlways: true, SyncInterval: time.Second,
		JetStreamMaxStore: h.Store, JetStreamMaxMemory: 2 << 30, MaxPayload: 1 << 20,
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

// Guarded reports whether clients need a token.
func (h *Hub) Guarded() bool { return h.guard.tokens != nil }
