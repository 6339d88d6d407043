package main

// fileMutants break the writing of files: each loses what is finished when a
// disk is full, a write fails, a process is killed or the power is cut.
func fileMutants() []mutant {
	return []mutant{
		{
			in: "train/block.Log.write", what: "games leave the packer before their block is written",
			old: "l.packer.encode(l.buf[:0])", new: "l.packer.Append(l.buf[:0])",
		},
		{
			in: "train/block.Log.write", what: "blocks are not synced",
			old: "err = l.file.Sync()", new: "_ = l.file.Sync",
		},
		{
			in: "train/block.Log.write", what: "half a block stays in the file",
			old: "errors.Join(err, l.file.Truncate(l.end))", new: "err",
		},
		{
			in: "train/block.Log.write", what: "games are added to a file that was moved",
			old: "if !same {", new: "if !same && l.end < 0 {",
		},
		{
			in: "train/block.Log.Close", what: "a journal with games is removed",
			old: "l.journal.close(l.packer.Games() == 0)", new: "l.journal.close(true)",
		},
		{
			in: "train/block.journal.restart", what: "a new head stands before old entries after a power cut",
			old: "if err := j.file.Sync(); err != nil {", new: "if err := error(nil); err != nil {",
		},
		{
			in: "train/block.journal.sync", what: "the journal is never synced",
			old: "if !j.dirty {", new: "if j.dirty || !j.dirty {",
		},
		{
			in: "train/block.openJournal", what: "the names of new files are not synced",
			old: "if err := sys.SyncDir(name); err != nil {", new: "if err := error(nil); err != nil {",
		},
		{
			in: "train/block.openJournal", what: "two logs share a journal",
			old: "if err := f.Lock(); err != nil {", new: "if err := error(nil); err != nil {",
		},
		{
			in: "train/block.Log.settle", what: "a block whose sync failed is held for written",
			old: "if games == 0 ||", new: "if games >= 0 ||",
		},
		{
			in: "train/block.Log.cutTail", what: "a damaged tail is thrown away",
			old: "if r.Kept, err = keep(l.sys, l.name, tail); err != nil {", new: "if err != nil {",
		},
		{
			in: "train/block.Log.takeOver", what: "a damaged journal is thrown away",
			old: "if r.JournalKept, err = keep(l.sys, JournalName(l.name), data); err != nil {", new: "if err != nil {",
		},
		{
			in: "train/block.File.since", what: "a journal's games are sought after a place of another file",
			old: "e.Offset+int64(e.Stored()) == began", new: "e.Offset >= 0",
		},
		{
			in: "train/block.File.Read", what: "a read error is damage",
			old: "return fmt.Errorf(\"block %d at byte %d: %w\", e.Number, e.Offset, err)", new: "return fail(err)",
		},
		{
			in: "train/block.openWith", what: "readers do not see the journal",
			old: "file.wait(journal)", new: "file.wait(nil)",
		},
		{
			in: "train/block.Writer.Commit", what: "the journal of a replaced file stays",
			old: "return w.sys.Remove(w.journal.Name())", new: "return nil",
		},
		{
			in: "internal/replace.Pending.Commit", what: "a file gets its name before it is on the disk",
			old: "if err := p.temp.Sync(); err != nil {", new: "if err := error(nil); err != nil {",
		},
		{
			in: "internal/replace.Pending.Commit", what: "the new name is not synced",
			old: "return p.sys.SyncDir(p.target)", new: "return nil",
		},
		{
			in: "internal/replace.Pending.claim", what: "a file that is being written is replaced",
			old: "if err := f.Lock(); err != nil {", new: "if err := error(nil); err != nil {",
		},
		{
			in: "internal/replace.Begin", what: "links are replaced",
			old: "target, err := s.Target(name)", new: "target, err := name, error(nil)",
		},
		{
			in: "internal/replace.Clean", what: "a file that somebody writes is cleaned away",
			old: "if f.Lock() == nil {", new: "if f != nil {",
		},
		{
			in: "train/statefile.parse", what: "the checksum of a state is not looked at",
			old: "if have != e.Sum {", new: "if len(have) != len(e.Sum) {",
		},
		{
			in: "train/datagen.run.write", what: "blocks end when they are full",
			old: "err = r.log.Flush()", new: "err = r.log.Sync()",
		},
		{
			in: "train/datagen.run.write", what: "what is reported is not on the disk",
			old: "err = r.log.Sync(); err == nil", new: "err == nil",
			alive: "no test can cut the power of a process; the order stands in the test of the Log",
		},
	}
}
