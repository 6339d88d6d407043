package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/farm/link"
)

// startWait is the time that a server may take to read its streams.
const startWait = 5 * time.Minute

// startServer starts the server.
func (h *Hub) startServer(ctx context.Context, o *server.Options) error {
	copied := *o
	s, err := server.NewServer(&copied)
	if err != nil {
		return err
	}
	fatal := make(chan string, 1)
	s.SetLoggerV2(natsLog{h.log, fatal, &h.broken}, false, false, false)
	s.Start()
	err = errors.New("it is not ready after " + startWait.String())
	for began := time.Now(); time.Since(began) < startWait; {
		if err = ctx.Err(); err != nil {
			break
		}
		ready := s.ReadyForConnections(100 * time.Millisecond)
		select {
		case text := <-fatal:
			err = errors.New(text)
		default:
			if !ready {
				continue
			}
			if err = nil; !s.JetStreamEnabled() {
				err = errors.New("its streams are switched off: is the disk full?")
			}
		}
		break
	}
	if err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return fmt.Errorf("the NATS server does not start on %q, directory %s: %w", h.Listen, h.Dir, err)
	}
	if at, ok := s.Addr().(*net.TCPAddr); ok {
		o.Port = at.Port // which another start has to take again
	}
	h.mu.Lock()
	h.server = s
	h.mu.Unlock()
	return nil
}

// stopServer stops the server.
func (h *Hub) stopServer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.server.Shutdown()
	h.server.WaitForShutdown()
}

// InProcessConn connects a client of this process; it makes Hub a
// nats.InProcessConnProvider that outlives a restart of the server.
func (h *Hub) InProcessConn() (net.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil || !h.server.Running() {
		return nil, errors.New("the server is not running")
	}
	return h.server.InProcessConn()
}

// store is a connection of the hub as its coordinator uses it.
type store struct {
	*link.Conn
	hub *Hub
}

// Space returns what the streams take and the bound that the server has found or was
// given, which its account does not tell.
func (s store) Space(ctx context.Context) (used, limit int64, err error) {
	used, _, err = s.Conn.Space(ctx)
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if config := s.hub.server.JetStreamConfig(); config != nil {
		limit = config.MaxStore
	}
	// The server finds out when it starts how much of the disk it may take.
	s.hub.full.Store(s.hub.Store == 0 && limit > 0 && used > limit-limit/10)
	return used, limit, err
}

// supervise starts the server again when it takes nothing more for a stream or has
// switched its streams off, as it does when a write fails, and when it has taken nearly
// all that it found free on the disk: again and again, less and less often, until there is
// space.
func (h *Hub) supervise(ctx context.Context, o *server.Options) {
	const shortest, longest = time.Second, 30 * time.Second
	pause := shortest
	for failed := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		h.mu.Lock()
		healthy := h.server.Running() && h.server.JetStreamEnabled() && !h.broken.Load()
		h.mu.Unlock()
		if healthy && !h.full.Load() {
			if time.Since(failed) > longest {
				pause = shortest
			}
			continue
		}
		if healthy {
			h.log.Warn("the disk is nearly full, and the server is started again to see whether there is space")
		} else {
			h.log.Error("the server cannot write (is the disk full, or --store used up?) and is started again")
		}
		failed, pause = time.Now(), min(2*pause, longest)
		h.stopServer()
		h.broken.Store(false)
		if err := h.startServer(ctx, o); err != nil {
			h.log.Error("the server", "error", err)
			continue
		}
		for h.ensure(ctx) != nil && ctx.Err() == nil && !h.broken.Load() {
			time.Sleep(100 * time.Millisecond) // the hub's own connection comes back
		}
	}
}

// natsLog gives what the server has to say to a log.
type natsLog struct {
	log   *slog.Logger
	fatal chan<- string // takes the first reason for which the server cannot go on

	// broken is set when a write has failed or the disk's share is used up: the
	// server then takes nothing more for that stream until it is started again,
	// and tells that nowhere else.
	broken *atomic.Bool
}

func (l natsLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l natsLog) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l natsLog) Debugf(string, ...any)           {}

func (l natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Error(text)
	// It reckons once, at its start, how much of what is free it may take.
	if strings.Contains(text, "critical write error") || strings.Contains(text, "resource limits exceeded") {
		l.broken.Store(true)
	}
}

func (l natsLog) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Error(text)
	select {
	case l.fatal <- text:
	default:
	}
}

func (l natsLog) Tracef(string, ...any) {}
