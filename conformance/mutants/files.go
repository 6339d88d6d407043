package main

// fileMutants break the writing of files: each loses what is finished when a
// disk is full, a write fails, a process is killed or the power is cut.
func fileMutants() []mutant {
	return []mutant{
		{
			in: "train/games.Log.flush", what: "blocks are not synced",
			old: "err = l.file.Sync()", new: "_ = l.file.Sync",
		},
		{
			in: "train/games.Log.flush", what: "half a block stays in the file",
			old: "errors.Join(err, l.file.Truncate(l.end))", new: "err",
		},
		{
			in: "train/games.Log.Add", what: "games wait for others for ever",
			old: "if l.timer == nil {", new: "if l.timer != nil {",
		},
		{
			in: "train/games.Log.open", what: "the names of new files are not synced",
			old: "sys.SyncDir(target)", new: "error(nil)",
		},
		{
			in: "train/games.Log.open", what: "two processes write a file",
			old: "if err := l.file.Lock(); err != nil {", new: "if err := error(nil); err != nil {",
		},
		{
			in: "train/games.Log.cutTail", what: "a torn block stays",
			old: "if l.Cut = f.size - l.end; l.Cut == 0 {", new: "if l.Cut = f.size - l.end; l.Cut >= 0 {",
		},
		{
			in: "train/games.File.Read", what: "a read error is damage",
			old: "return fmt.Errorf(\"block %d at byte %d: %w\", e.Number, e.Offset, err)", new: "return fail(err)",
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
	}
}
