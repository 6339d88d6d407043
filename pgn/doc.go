// Package pgn reads and writes chess games in portable game notation.
//
// A [Reader] holds one game at a time, however long the file is. It
// reads what programs, sites and people write: tags in any order, comments in braces
// and after semicolons, NAGs as numbers, marks and symbols, variations inside
// variations, start positions by FEN, Chess960, escape lines, line ends of all systems,
// byte order marks, Windows-1252, games without tags and tags without games, null moves,
// moves in UCI text and long notation, words without a space between them. Moves are
// checked: what a [Game] holds is legal, so it can be replayed: by [Game.Replay] or
// [Node.Play], which know null moves.
//
// A word or sign that cannot be a move does not make a game unreadable: a word becomes a comment, a
// sign is dropped, and the Warning of the [Game] names the first of them and its place. A word that
// looks like a move but is not one, such as Sf3, does: Read returns an [*Error] with line, column and
// reason, and the next Read returns the next game.
//
// [Reader.ReadTags] reads only the tags of a game, about as fast as a scan of the lines; [Parallel]
// reads a large file on several threads, in order. A [Cursor] walks through the variations of a game
// and edits them. A [Comment] has the clocks, evaluations, squares and arrows of a comment as values,
// beside its text.
//
// A [Writer] writes export format: the seven-tag roster first, lines shorter than 80 columns, moves
// in standard algebraic notation. A Reader reads it back as the same game.
//
// Source: "Portable Game Notation Specification and Implementation Guide", Steven
// Edwards, 1994.
//
// A game that is read stays as it is read. More dialects may be understood, and the layout of what is written may
// change.
package pgn
