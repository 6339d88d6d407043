// Package annotate is the command "tabula annotate": it reviews the games of PGN files,
// several at a time, and writes them in their order with evaluations, judgments and
// better lines, as a PGN, as JSON and as a page for a browser.
//
// What is done is kept in a journal beside the output until all is, so that a run that
// was killed goes on where it was: see journal. With a limit of nodes the output is
// the same bytes whatever the threads, the kills and the machine.
package annotate
