package block

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/train/record"
)

// Log appends games to a file as they are played. A game that was added is
// never lost to a kill of the process, and once [Log.Sync] has returned not to a
// power cut either: it is in the file's journal until its block is in the file.
// After an error of any method nothing more can be added; what was added stays.
// A Log is not safe for concurrent use.
type Log struct {
	Totals  Header // of the file and of the games added since the last block
	sys     disk.System
	name    string // of the file itself where a link was given
	file    disk.File
	made    bool  // there was no file of the name before
	end     int64 // length of the file
	journal *journal
	packer  Packer
	buf     []byte
	broken  error // why nothing more can be added
}

// OpenLog opens a file for appending, or makes one. It cuts off a damaged tail,
// which it keeps beside the file, and takes over the games in the journal. It
// refuses a file that is not made of blocks, and on most systems one that
// another process has open as a Log, or whose journal belongs to another Log.
func OpenLog(name string) (*Log, *Recovery, error) { return openLog(disk.OS(), name) }

func openLog(sys disk.System, name string) (*Log, *Recovery, error) {
	target, err := sys.Target(name)
	if err != nil {
		return nil, nil, err
	}
	l := &Log{sys: sys, name: target}
	recovery, err := l.open()
	if err != nil {
		if l.journal != nil {
			size, sizeErr := l.journal.file.Size()
			l.journal.close(sizeErr == nil && size == 0)
		}
		if l.file != nil {
			err = errors.Join(err, l.unmake())
		}
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, recovery, nil
}

// unmake closes the file of a log that cannot be opened, and removes it where it
// was made for the log and is still empty: whoever lost a name to another log,
// or mistyped it, finds no file that was never there.
func (l *Log) unmake() error {
	size, err := l.file.Size()
	same := false
	if l.made && err == nil && size == 0 {
		same, err = l.sys.Same(l.file, l.name)
	}
	err = errors.Join(err, l.file.Close()) // first: some systems remove no open file
	if err == nil && same {
		err = l.sys.Remove(l.name)
	}
	return err
}

// attempts bounds how often the file can be replaced while it is being opened.
const attempts = 10

// claim opens and locks the file of the name. It may be replaced before it is
// locked: then the new one is opened.
func (l *Log) claim() error {
	for range attempts {
		before, err := l.sys.Open(l.name)
		if err == nil {
			err = before.Close()
		}
		if l.made = errors.Is(err, fs.ErrNotExist); err != nil && !l.made {
			return err
		}
		f, err := l.sys.Update(l.name)
		if err != nil {
			return err
		}
		if err := f.Lock(); err != nil {
			f.Close()
			return err
		}
		same, err := l.sys.Same(f, l.name)
		if err == nil && same {
			l.file = f
			return nil
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return errors.New("is being replaced again and again")
}

// Add appends one game. When it returns without an error the game will be
// found by the next [OpenLog], however the process ends.
func (l *Log) Add(id ID, g record.View) error {
	if l.broken != nil {
		return l.broken
	}
	if err := l.journal.add(id, g); err != nil {
		return l.fail(err)
	}
	before := l.packer.header
	l.packer.Add(id, g)
	now := &l.packer.header
	l.Totals.add(&Header{
		Games: now.Games - before.Games, Positions: now.Positions - before.Positions,
		WhiteWins: now.WhiteWins - before.WhiteWins, BlackWins: now.BlackWins - before.BlackWins,
	})
	if l.packer.Size() < TargetSize {
		return nil
	}
	return l.Flush()
}

// Pack sets the form of the blocks to come, [Exact] otherwise.
func (l *Log) Pack(f Form) { l.packer.Form = f }

// Waiting returns the number of games that were added and are in no block yet.
func (l *Log) Waiting() int { return l.packer.Games() }

// Sync puts the games that were added onto the disk.
func (l *Log) Sync() error {
	if l.broken != nil {
		return l.broken
	}
	if err := l.journal.sync(); err != nil {
		return l.fail(err)
	}
	return nil
}

// Flush puts the games that wait into a block of the file.
func (l *Log) Flush() error {
	if l.broken != nil {
		return l.broken
	}
	if err := l.pack(); err != nil {
		return l.fail(err)
	}
	return nil
}

// fail notes that nothing more can be added.
func (l *Log) fail(err error) error {
	l.broken = err
	return err
}

// pack writes the games of the journal as a block and restarts the journal.
func (l *Log) pack() error {
	if l.packer.Games() == 0 {
		return nil
	}
	if err := l.write(); err != nil {
		return err
	}
	l.end += int64(len(l.buf))
	l.packer.Reset()
	return l.journal.restart(l.end)
}

// write writes the games of the packer as a block, which stay there. A block
// that may not be whole on the disk is taken back: the journal has its games.
func (l *Log) write() (err error) {
	same, err := l.sys.Same(l.file, l.name)
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("%s was moved or removed while games were added to it", l.name)
	}
	if l.buf, err = l.packer.encode(l.buf[:0]); err != nil {
		return err
	}
	if _, err = l.file.WriteAt(l.buf, l.end); err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(l.end))
	}
	return nil
}

// Close writes the last block, removes the journal and closes the file. Where
// the block cannot be written the journal stays, which the error says; why, it
// says where no method has said it before.
func (l *Log) Close() error {
	err := l.pack() // after an error too: there may be space by now
	if told := l.broken; err != nil && told != nil && err.Error() == told.Error() && l.packer.Games() > 0 {
		err = errors.New(l.waitText())
	} else {
		err = l.waiting(err)
	}
	return errors.Join(err, l.journal.close(l.packer.Games() == 0), l.file.Close())
}

// waiting adds to an error what became of the games that are in no block.
func (l *Log) waiting(err error) error {
	if err != nil && l.packer.Games() > 0 {
		return fmt.Errorf("%w; %s", err, l.waitText())
	}
	return err
}

// waitText tells where the games are that are in no block.
func (l *Log) waitText() string {
	return fmt.Sprintf("%d games wait in %s, from where the next run takes them", l.packer.Games(), JournalName(l.name))
}
