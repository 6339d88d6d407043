package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/tabula-farm/link"
)

// startWait is the time that a server may take to read its streams.
const startWait = 5 * time.Minute

// startServer starts the server.
func (h *Hub) startServer(o *server.Options) (err error) {
	if h.server, err = server.NewServer(o); err != nil {
		return err
	}
	h.server.SetLoggerV2(natsLog{h}, false, false, false)
	h.server.Start()
	err = errors.New("it is not ready after " + startWait.String())
	for began := time.Now(); time.Since(began) < startWait; {
		ready := h.server.ReadyForConnections(100 * time.Millisecond)
		select {
		case text := <-h.broken:
			err = errors.New(text)
		default:
			if !ready {
				continue
			}
			if err = nil; !h.server.JetStreamEnabled() {
				err = errors.New("its streams are switched off: is the disk full?")
			}
		}
		break
	}
	if err != nil {
		h.stopServer()
		return fmt.Errorf("the NATS server does not start on %q, directory %s: %w", h.Listen, h.Dir, err)
	}
	return nil
}

// stopServer stops the server.
func (h *Hub) stopServer() {
	h.server.Shutdown()
	h.server.WaitForShutdown()
}

// store is a connection of the hub as its coordinator uses it.
type store struct {
	*link.Conn
	server *server.Server
}

// Space returns what the streams take and the bound that the server was given or has found
// when it started, which its account does not tell.
func (s store) Space(ctx context.Context) (used, limit int64, err error) {
	used, _, err = s.Conn.Space(ctx)
	if config := s.server.JetStreamConfig(); config != nil {
		limit = config.MaxStore
	}
	return used, limit, err
}

// natsLog gives what the server has to say to a log.
type natsLog struct{ *Hub }

func (l natsLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l natsLog) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l natsLog) Debugf(string, ...any)           {}
func (l natsLog) Tracef(string, ...any)           {}

// Errorf also sees when a write has failed or the store is used up: the server then takes
// nothing more for that stream until it is started again, and tells that nowhere else.
func (l natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Error(text)
	if strings.Contains(text, "critical write error") || strings.Contains(text, "resource limits exceeded") {
		l.breaks(text)
	}
}

func (l natsLog) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Error(text)
	l.breaks(text)
}

// breaks notes the first reason for which the server cannot go on.
func (h *Hub) breaks(text string) {
	select {
	case h.broken <- text:
	default:
	}
}
