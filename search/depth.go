package search

// Depth is a number of plies: how many a node is still to be searched, or how
// many an iteration searches from the root.
type Depth int

// MaxPly bounds depth and the length of lines.
const MaxPly = 128
