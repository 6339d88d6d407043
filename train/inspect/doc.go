// Package inspect tells what files of games hold and whether they are whole:
// counts, results, histograms of scores and phases as numbers, text and
// pictures, and every damaged block and illegal move by name.
//
// It imports train/block, train/record, search and what lies below.
package inspect
