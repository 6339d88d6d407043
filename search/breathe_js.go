package search

import (
	"syscall/js"
	"time"
)

// breathEvery is the time between two moments in which the host may deliver
// what has come in: a stop is obeyed so late at the most.
const breathEvery = 20 * time.Millisecond

// breather lets the host's events in while a search runs. A program in
// WebAssembly has one thread, which nothing interrupts: neither timers nor
// input get anywhere unless it waits.
type breather struct {
	next    time.Time
	ask     func() // for a call of arrived behind the events that wait
	arrived chan struct{}
}

// begin finds out how to ask. Timers will not do, since hosts delay them by
// milliseconds; nor will messages in Node, which delivers a thousand of them
// before it looks at anything else.
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

// breathe lets the host's events in if it is time to.
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
