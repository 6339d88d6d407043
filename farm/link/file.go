package link

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// partSize is the size of the messages that a file is cut into, below the
// server's limit of a message, 1 MiB.
const partSize = 512 << 10

// Sum returns the name of a file: its SHA-256, hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// putFile publishes a file in parts below the prefix. Parts that are there are
// left as they are.
func (c *Conn) putFile(ctx context.Context, prefix string, data []byte) error {
	for part := 0; part == 0 || part*partSize < len(data); part++ {
		end := min((part+1)*partSize, len(data))
		if _, err := c.First(ctx, fmt.Sprintf("%s.%d", prefix, part), data[part*partSize:end]); err != nil {
			return fmt.Errorf("%s part %d: %w", prefix, part, err)
		}
	}
	return nil
}

// getFile reads a file and checks that it has the hash that names it.
func (c *Conn) getFile(ctx context.Context, stream, prefix, sum string) (data []byte, err error) {
	parts, err := c.Latest(ctx, stream, prefix+".*")
	if err != nil {
		return nil, err
	}
	for _, m := range parts { // whoever stored a part had seen the one before it
		data = append(data, m.Data...)
	}
	if got := Sum(data); got != sum {
		return nil, fmt.Errorf("file %s: %d bytes with the hash %s: %w", sum, len(data), got, ErrNone)
	}
	return data, nil
}

// PutInput keeps a file for the workers of a run under its hash.
func (c *Conn) PutInput(ctx context.Context, id string, data []byte) error {
	return c.putFile(ctx, "in."+id+"."+Sum(data), data)
}

// Inputs returns the files for the workers of a run.
func (c *Conn) Inputs(id string) run.Inputs { return inputs{c, id} }

// inputs are the files of a run.
type inputs struct {
	conn *Conn
	run  string
}

func (in inputs) Get(ctx context.Context, sum string) ([]byte, error) {
	return in.conn.getFile(ctx, Input, "in."+in.run+"."+sum, sum)
}

// PutArtefact stores a file of a run, made by the worker with this connection's key.
func (c *Conn) PutArtefact(ctx context.Context, id string, data []byte) error {
	return c.putFile(ctx, "art."+id+"."+c.Key+"."+Sum(data), data)
}

// artefact returns the subject of a file of a result, without the part.
func artefact(r *run.Result, sum string) string {
	key, _, _ := strings.Cut(r.Worker, ".")
	return "art." + r.Run + "." + key + "." + sum
}

// Artefact returns a file of a result.
func (c *Conn) Artefact(ctx context.Context, r *run.Result, a run.Artefact) ([]byte, error) {
	return c.getFile(ctx, Art, artefact(r, a.Sum), a.Sum)
}

// DropArtefacts removes the files of a result.
func (c *Conn) DropArtefacts(ctx context.Context, r *run.Result) (err error) {
	for _, a := range r.Files {
		err = errors.Join(err, c.Purge(ctx, Art, artefact(r, a.Sum)+".*"))
	}
	return err
}
