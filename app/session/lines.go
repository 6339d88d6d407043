package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// Stream runs a session whose messages are the lines of in and out, until the end of in or ctx. The
// error is the first failed read or write, [ErrTooLong], or the cause of ctx's end. Empty lines are
// ignored.
func (s *Service) Stream(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, smallMessage), MaxMessage+len("\r\n"))
	read := func() (io.Reader, error) {
		for lines.Scan() {
			if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
				return bytes.NewReader(bytes.Clone(line)), nil
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return nil, ErrTooLong
		case err != nil:
			return nil, err
		}
		return nil, io.EOF
	}
	write := func(data []byte) error {
		_, err := out.Write(append(data, '\n'))
		return err
	}
	return s.Session().Run(ctx, read, write)
}
