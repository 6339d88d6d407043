// Package annotate is the command "tabula annotate": it reviews the games of PGN files, several at
// a time, and writes them in order with evaluations, judgments and better lines, as PGN, as JSON
// and as an HTML page.
//
// A journal beside the output keeps finished games until all are done, so that a killed run can
// continue: see package work. With a node limit the output is the same, byte for byte, whatever the number of
// threads, the interruptions and the machine.
package annotate
