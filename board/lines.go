package board

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// Stream runs a session whose messages are the lines of in and out, until the end
// of in or of ctx. The error is the first failed read or write, or the cause of
// ctx's end. Empty lines are passed over, and one longer than [MaxMessage] is
// answered with an error.
func (b *Board) Stream(ctx context.Context, in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	read := func() (io.Reader, error) {
		for {
			line, err := readLine(r)
			if line = bytes.TrimSpace(line); len(line) > 0 {
				return bytes.NewReader(line), nil // err comes again
			}
			if err != nil {
				return nil, err
			}
		}
	}
	write := func(data []byte) error {
		_, err := out.Write(append(data, '\n'))
		return err
	}
	return b.Session().Run(ctx, read, write)
}

// readLine reads to the next line feed. The rest of a line that is too long is
// passed over.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > MaxMessage+1; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong:
			return nil, ErrTooLong
		default:
			return line, err
		}
	}
}
