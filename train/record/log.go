package record

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/internal/plural"
)

// holdTime is the longest time between adding a game and writing its block.
const holdTime = 4 * time.Second

// Log appends games to a file. It writes and syncs a block when it has enough games, or holdTime after the first
// of them. It is safe for concurrent use.
type Log struct {
	Cut int64 // bytes of an unfinished block that were removed from the end

	mu     sync.Mutex
	file   *journal.File
	totals Counts // of the blocks in the file
	packer Packer
	timer  *time.Timer // writes the waiting games; nil if there are none
	buf    []byte
	broken error // the error after which no games can be added
}

// OpenLog opens or creates a file for appending and removes an unfinished block from its end. It refuses a file
// with other content and, on most systems, a file that another process is writing.
func OpenLog(name string) (*Log, error) {
	f, err := journal.OpenFile(name)
	if err != nil {
		return nil, err
	}
	l := &Log{file: f}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return l, nil
}

// open does the work of OpenLog on the open file.
func (l *Log) open() error {
	f, err := NewFile(l.file, l.file.Size())
	if err != nil {
		return err
	}
	if err := l.check(f); err != nil {
		return err
	}
	if err := l.cutTail(f); err != nil {
		return err
	}
	l.totals = f.Counts()
	return nil
}

// check refuses a file that no Log has begun, or whose blocks have another format.
func (l *Log) check(f *File) error {
	if f.Damage != nil && errors.Is(f.Damage.Err, ErrFormat) {
		return f.Damage
	}
	if f.size == 0 || len(f.Entries) > 0 {
		return nil
	}
	head := make([]byte, min(f.size, int64(len(magic))))
	if _, err := l.file.ReadAt(head, 0); err != nil {
		return err
	}
	if !strings.HasPrefix(magic, string(head)) {
		return errors.New("the file exists and is not a game file; give another name")
	}
	return nil
}

// mostCut bounds what a kill can leave of a block, which is shorter in the file than in memory.
const mostCut = blockSize

// cutTail cuts off what follows the last good block, if it can be a block that was not finished.
func (l *Log) cutTail(f *File) error {
	var b Block
	end := int64(0)
	for n := len(f.Entries); n > 0; n-- {
		e := &f.Entries[n-1]
		err := f.Read(n-1, &b)
		if err == nil {
			end = e.Offset + e.length()
			break
		}
		if damage := (*Damage)(nil); !errors.As(err, &damage) {
			return err
		}
		f.Entries = f.Entries[:n-1]
	}
	switch l.Cut = f.size - end; {
	case l.Cut == 0:
		return nil
	case l.Cut > mostCut:
		return fmt.Errorf("%s after the first %s cannot be read: %w; train merge copies what comes before to a file",
			plural.Of(l.Cut, "byte"), plural.Of(f.Counts().Games, "game"),
			cmp.Or(f.Damage, &Damage{len(f.Entries), end, ErrSum}))
	}
	return l.file.Cut(end)
}

// Counts returns the counts of the file and the waiting games.
func (l *Log) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.totals
	c.add(&l.packer.Counts)
	return c
}

// Add appends one game, which must not be changed afterwards. After an error no more games can be added.
func (l *Log) Add(id ID, g *Game) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	l.packer.Add(id, g)
	if l.packer.full() {
		return l.flush()
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(holdTime, func() { l.Flush() }) // the next Add returns its error
	}
	return nil
}

// Flush writes the waiting games.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

// flush does the work of Flush. A block that may not be whole is taken back.
func (l *Log) flush() (err error) {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if l.broken != nil || l.packer.Games == 0 {
		return l.broken
	}
	if l.buf, err = l.packer.Append(l.buf[:0]); err == nil {
		err = l.file.Append(l.buf)
	}
	if err != nil {
		l.broken = fmt.Errorf("%w; %s lost", err, plural.Do(l.packer.Games, "game", "is", "are"))
		return l.broken
	}
	l.totals.add(&l.packer.Counts)
	l.packer.Reset()
	return nil
}

// Numbers returns the numbers of a run's games in the file.
func (l *Log) Numbers(run uint64) (map[uint32]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.flush(); err != nil {
		return nil, err
	}
	f, err := NewFile(l.file, l.file.Size())
	if err != nil {
		return nil, err
	}
	numbers := map[uint32]bool{}
	var b Block
	for i := range f.Entries {
		var damage *Damage
		if err := f.Read(i, &b); errors.As(err, &damage) {
			continue // reported by whoever reads the file
		} else if err != nil {
			return nil, err
		}
		for id := range b.Games() {
			if id.Run == run {
				numbers[id.Number] = true
			}
		}
	}
	return numbers, nil
}

// Close writes the last block and closes the file. It also returns an earlier error of the Log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.flush(), l.file.Close())
}
