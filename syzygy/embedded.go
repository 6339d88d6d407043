package syzygy

import "embed"

// embedded holds the tables of three pieces, 26 KB of computed facts that may be
// redistributed freely.
//
//go:embed tables3/*.rtbw tables3/*.rtbz
var embedded embed.FS

const embeddedDir = "tables3"
