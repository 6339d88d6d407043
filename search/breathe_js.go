package search

import (
	"syscall/js"
	"time"
)

// breathEvery is the time between two moments in which the host may deliver events.
// It bounds the delay of a stop.
const breathEvery = 20 * time.Millisecond

// breather lets the host deliver events while a search runs. A WebAssembly program
// has one thread, which nothing interrupts: timers and input arrive only while it
// waits.
type breather struct {
	next    time.Time
	ask     func() // requests a signal on arrived after the waiting events
	arrived chan struct{}
}

// begin chooses how to ask. Timers are too slow, since hosts delay them by
// milliseconds. Node delivers a thousand messages before it handles other events, so
// messages do not work there.
func (b *breather) begin() {
	b.arrived = make(chan struct{}, 1)
	call := js.FuncOf(func(js.Value, []js.Value) any {
		b.arrived <- struct{}{}
		return nil
	})
	if immediate := js.Global().Get("setImmediate"); immediate.Type() == js.TypeFunction {
		b.ask = func() { immediate.Invoke(call) }
		return
	}
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", call)
	port := channel.Get("port2")
	b.ask = func() { port.Call("postMessage", js.Null()) }
}

// breathe lets the host deliver its events once every breathEvery.
func (b *breather) breathe() {
	now := time.Now()
	if now.Before(b.next) {
		return
	}
	if b.arrived == nil {
		b.begin()
	}
	b.ask()
	<-b.arrived
	b.next = time.Now().Add(breathEvery)
}
