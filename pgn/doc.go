// Package pgn reads and writes chess games in portable game notation.
//
// A [Reader] streams: it holds one game at a time, however long the file. It
// takes what programs, sites and people write: tags in any order, comments in braces
// and after semicolons, NAGs as numbers, marks and symbols, variations inside
// variations, start positions by FEN, Chess960, escape lines, line ends of all systems,
// byte order marks, Windows-1252, games without tags and tags without games, null moves,
// moves in UCI text and long notation, words without a space between them. Moves are
// checked: what a [Game] holds is legal, so it can be replayed: by [Game.Replay] or
// [Node.Play], which know null moves.
//
// A word or sign that can be no move does not cost the game. A word becomes a comment, a sign
// is dropped, and the [Game] has a Warning that names the first of them with its place. What
// looks like a move and is none, such as Sf3, makes a bad game: that gives an [*Error] with
// its line, column and reason, and the next Read goes on with the next game.
//
// [Reader.ReadTags] reads the tags of a game alone and passes over its moves, which
// searches a file about as fast as a scan of its lines; [Parallel] reads a large
// file on several threads and keeps its order. A [Cursor] walks through the
// variations of a game and edits them, and a [Comment] is what a comment says:
// clocks, evaluations, squares and arrows as values, the text beside them.
//
// A [Writer] writes export format: the seven-tag roster first, lines shorter
// than 80 columns, moves in standard algebraic notation. What it writes reads
// back as the same game.
//
// Source: "Portable Game Notation Specification and Implementation Guide", Steven
// Edwards, 1994.
//
// A game that is read stays as it is read. More dialects may be understood, and the layout of what is written may
// change.
package pgn
