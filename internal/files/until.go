package files

import (
	"context"
	"io"
	"time"
)

// Until returns a reader of src that waits for it only until ctx ends. It then returns the cause; a read of src under
// way is left behind, after a tenth of a second in which what it reads is not lost.
func Until(ctx context.Context, src io.Reader) io.Reader {
	return &patient{ctx: ctx, src: src, space: make([]byte, 1<<16)}
}

// patient is a source that is waited for until ctx ends.
type patient struct {
	ctx   context.Context
	src   io.Reader
	space []byte // for one read of src
	part  []byte // of space: what was read, and is not handed out yet
	err   error  // behind part
}

// grace is how long a read under way is waited for when ctx has ended.
const grace = 100 * time.Millisecond

// Read reads from src. It returns the cause of ctx's end once that has come; a read under way is left behind.
func (p *patient) Read(b []byte) (int, error) {
	if len(p.part) == 0 && p.err == nil {
		p.fill()
	}
	n := copy(b, p.part)
	if p.part = p.part[n:]; len(p.part) == 0 && p.err != nil {
		return n, p.err
	}
	return n, nil
}

func (p *patient) fill() {
	if p.err = context.Cause(p.ctx); p.err != nil {
		return
	}
	done := make(chan struct{})
	var n int
	var err error
	go func() {
		n, err = p.src.Read(p.space)
		close(done)
	}()
	select {
	case <-done:
	case <-p.ctx.Done():
		select {
		case <-done:
		case <-time.After(grace):
			p.err = context.Cause(p.ctx)
			return
		}
	}
	p.part, p.err = p.space[:n], err
}
