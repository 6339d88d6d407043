//go:build !js && !wasip1

package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

// connections bounds how many connections stand open. One too many costs the
// oldest of those that have no request under way its place: half a request, or
// none, is no claim to one. Sockets are not counted here but as sessions.
type connections struct {
	most int

	mu      sync.Mutex
	all     map[net.Conn]*connection
	waiting []*connection // without a request under way, the oldest first
}

// connection is an open connection.
type connection struct {
	conn    net.Conn
	removed bool
}

// connectionKey is the key of a connection in the context of its requests.
type connectionKey struct{}

func newConnections(most int) *connections {
	return &connections{most: most, all: map[net.Conn]*connection{}}
}

// add is for http.Server's ConnContext.
func (c *connections) add(ctx context.Context, conn net.Conn) context.Context {
	one := &connection{conn: conn}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[conn] = one
	c.waiting = append(c.waiting, one)
	if len(c.all) > c.most && len(c.waiting) > 0 {
		cut(c.waiting[0].conn) // it is of no use to anybody
		c.remove(c.waiting[0])
	}
	return context.WithValue(ctx, connectionKey{}, one)
}

// cut ends a connection without a word: a farewell by TLS would wait for a client
// that does not read.
func cut(conn net.Conn) {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	_ = conn.Close()
}

// changed is for http.Server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.all[conn]; one != nil {
		c.remove(one)
	}
}

// remove forgets a connection; the lock is held.
func (c *connections) remove(one *connection) {
	one.removed = true
	delete(c.all, one.conn)
	c.rest(one)
}

// rest takes a connection out of those that wait.
func (c *connections) rest(one *connection) {
	if i := slices.Index(c.waiting, one); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
}

// wrap marks the connections whose requests next answers.
func (c *connections) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one, ok := r.Context().Value(connectionKey{}).(*connection)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		c.mu.Lock()
		c.rest(one)
		c.mu.Unlock()
		next.ServeHTTP(w, r)
		c.mu.Lock()
		defer c.mu.Unlock()
		if !one.removed {
			c.waiting = append(c.waiting, one)
		}
	})
}
