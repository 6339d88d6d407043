//go:build !js && !wasip1

package serve

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// end is a connection that knows whether it was closed.
type end struct {
	net.Conn
	closed bool
}

func (e *end) Close() error {
	e.closed = true
	return nil
}

// One connection too many costs the oldest without a request its place, and no other.
func TestConnections(t *testing.T) {
	c := newConnections(2)
	names := map[*end]string{}
	open := func(name string) (*end, context.Context) {
		e := &end{}
		names[e] = name
		return e, c.add(t.Context(), e)
	}
	check := func(when string, closed []*end, stay ...*end) {
		t.Helper()
		for _, e := range closed {
			if !e.closed {
				t.Errorf("%s: %s is open", when, names[e])
			}
		}
		for _, e := range stay {
			if e.closed {
				t.Errorf("%s: %s is closed", when, names[e])
			}
		}
	}
	first, _ := open("first")
	busy, ctx := open("busy")
	check("two", nil, first, busy)
	var third, fourth *end
	c.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		third, _ = open("third")
		check("a third one", []*end{first}, busy, third)
		fourth, _ = open("fourth")
		check("a fourth one", []*end{third}, busy, fourth)
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	fifth, _ := open("fifth")
	check("after the request", []*end{fourth}, busy, fifth)
	c.changed(fifth, http.StateIdle)
	sixth, _ := open("sixth")
	check("one that is idle has its place", []*end{busy}, fifth, sixth)
	c.changed(fifth, http.StateClosed)
	c.changed(sixth, http.StateHijacked)
	seventh, _ := open("seventh")
	eighth, _ := open("eighth")
	check("those that went leave their places", nil, sixth, seventh, eighth)
}
