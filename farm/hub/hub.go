// Package hub is the farm's centre: a NATS server in the process with JetStream in a directory
// of its own, the rules of who may do what, the gate by which workers get jobs and report, and
// the page for operators.
//
// Owners and workers have accounts of their own. Workers reach nothing of the owners' account
// but the gate, and what the gate answers stays in their account. On a loopback address the
// hub asks for no credentials; on any other it demands TLS and keys, and writes the owner's
// key to its directory.
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
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Config says what a hub is.
type Config struct {
	Dir    string // its streams and secrets; of this process alone
	Listen string // HOST:PORT; "" for clients in this process only
	Times  run.Times
	Log    *slog.Logger  // nil for none
	Store  int64         // bytes that the streams may take on the disk; 0: three quarters of what is free
	Keep   time.Duration // after which a run that is over is forgotten; 0 for never
}

// Hub is a hub that is running.
type Hub struct {
	Config
	Conn   *run.Conn // as owner
	access access
	lock   files.File
	log    *slog.Logger
	broken chan string // why the server cannot go on
	server *server.Server
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Start starts a hub. Its error says that the directory is another's or that it
// cannot listen.
func Start(c Config) (h *Hub, err error) {
	h = &Hub{Config: c, log: c.Log, access: access{enrolled: map[string]bool{}}, broken: make(chan string, 1)}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	h.lock, err = files.OS().Update(filepath.Join(c.Dir, "lock"))
	if errors.Is(err, files.ErrInUse) {
		return nil, fmt.Errorf("another hub uses %s: %w", c.Dir, err)
	} else if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if err := h.startServer(); err != nil {
		return nil, err
	}
	if h.Conn, err = run.Dial(ctx, run.Options{Name: "hub", Process: h.server, Key: h.access.own, Log: h.log}, time.Minute); err != nil {
		return nil, err
	}
	if err := errors.Join(h.Conn.Ensure(ctx), h.access.admit(ctx, h.Conn)); err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	h.done.Go(func() { Serve(ctx, h.Conn, c, h.log, h.access.tls == nil, ready) })
	<-ready
	return h, nil
}

// Serve serves the workers of a farm until ctx ends, also of one whose streams are on a cluster.
// With trust, one key may do both copies of a job where no other can.
// It closes ready, which may be nil, when it begins or has given up.
func Serve(ctx context.Context, c *run.Conn, config Config, log *slog.Logger, trust bool, ready chan struct{}) {
	if ready == nil {
		ready = make(chan struct{})
	}
	began := sync.OnceFunc(func() { close(ready) })
	defer began()
	for ctx.Err() == nil {
		g := &gate{conn: c, times: config.Times, log: log, trust: trust, keep: config.Keep}
		if err := g.serve(ctx, began); ctx.Err() == nil {
			log.Warn("the gate starts again", "error", err)
			select {
			case <-ctx.Done():
			case <-c.Closed():
				return
			case <-time.After(time.Second):
			}
		}
	}
}

// Addr returns where the hub listens.
func (h *Hub) Addr() net.Addr { return h.server.Addr() }

// InProcessConn connects a client of this process.
func (h *Hub) InProcessConn() (net.Conn, error) { return h.server.InProcessConn() }

// Guarded reports whether clients need a key.
func (h *Hub) Guarded() bool { return h.access.tls != nil }

// Wait waits until ctx ends, which is no error, or the server cannot write. The hub then has to
// be closed and started again.
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

// startWait is the time that a server may take to read its streams.
const startWait = 5 * time.Minute

// startServer starts the server with the accounts of owners and workers.
func (h *Hub) startServer() (err error) {
	owners, workers := server.NewAccount("FARM"), server.NewAccount("WORKERS")
	o := &server.Options{
		ServerName: "tabula-farm", DontListen: h.Listen == "", NoSigs: true, NoLog: true, Accounts: []*server.Account{owners, workers},
		JetStream: true, StoreDir: filepath.Join(h.Dir, "streams"), SyncAlways: true, SyncInterval: time.Second,
		JetStreamMaxStore: h.Store, MaxPayload: run.MaxPayload, CustomClientAuthentication: &h.access, AlwaysEnableNonce: true,
		PingInterval: 10 * time.Second, MaxPingsOut: 3, DisableShortFirstPing: true,
	}
	if h.Listen != "" {
		host, port, err := net.SplitHostPort(h.Listen)
		if err == nil {
			o.Port, err = strconv.Atoi(port)
		}
		if err != nil {
			return fmt.Errorf("listen %q: want HOST:PORT: %w", h.Listen, err)
		}
		if o.Host = host; o.Port == 0 {
			o.Port = server.RANDOM_PORT
		}
		if !isLoopback(host) {
			if err := h.access.arm(h.Dir); err != nil {
				return err
			}
			o.TLS, o.TLSConfig, o.TLSTimeout = true, h.access.tls, 10
		}
	}
	h.access.owners, h.access.workers = owners, workers
	if h.server, err = server.NewServer(o); err != nil {
		return err
	}
	h.server.SetLoggerV2(natsLog{h}, false, false, false)
	h.server.Start()
	err = errors.New("it is not ready after " + startWait.String())
	for began := time.Now(); time.Since(began) < startWait; {
		if ready := h.server.ReadyForConnections(100 * time.Millisecond); !ready && len(h.broken) == 0 {
			continue
		}
		if err = nil; !h.server.JetStreamEnabled() {
			err = errors.New("its streams are switched off: is the disk full?")
		}
		break
	}
	if len(h.broken) > 0 {
		err = errors.New(<-h.broken)
	}
	if err == nil {
		err = h.connectAccounts()
	}
	if err != nil {
		return fmt.Errorf("the NATS server does not start on %q, directory %s: %w", h.Listen, h.Dir, err)
	}
	return nil
}

// connectAccounts gives the owners' account the streams and the workers' account the gate.
func (h *Hub) connectAccounts() error {
	owners, err := h.server.LookupAccount("FARM")
	if err != nil {
		return err
	}
	workers, err := h.server.LookupAccount("WORKERS")
	if err != nil {
		return err
	}
	h.access.set(owners, workers)
	limits := server.JetStreamAccountLimits{MaxMemory: -1, MaxStore: h.server.JetStreamConfig().MaxStore, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1}
	return errors.Join(
		owners.EnableJetStream(map[string]server.JetStreamAccountLimits{"": limits}, nil),
		owners.AddServiceExport("gate.>", []*server.Account{workers}),
		workers.AddServiceImport(owners, "gate.>", "gate.>"))
}

// natsLog gives what the server has to say to a log.
type natsLog struct{ *Hub }

func (l natsLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l natsLog) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l natsLog) Debugf(string, ...any)           {}
func (l natsLog) Tracef(string, ...any)           {}

// Errorf also sees when a write has failed: the server then takes nothing more for that stream
// until it is started again, and tells that nowhere else.
func (l natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Error(text)
	if strings.Contains(text, "critical write error") || strings.Contains(text, "resource limits exceeded for server") {
		l.breaks(text)
	}
}

func (l natsLog) Fatalf(format string, v ...any) {
	l.log.Error(fmt.Sprintf(format, v...))
	l.breaks(fmt.Sprintf(format, v...))
}

// breaks notes the first reason for which the server cannot go on.
func (h *Hub) breaks(text string) {
	select {
	case h.broken <- text:
	default:
	}
}
