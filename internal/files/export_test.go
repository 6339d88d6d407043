package files

// What tests need from inside.
const Suffix = suffix

var (
	SameFile = sameFile
	WriteOn  = writeData
)
