//go:build !js && !wasip1

package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/flags"
	hosts "github.com/tabula-chess/tabula/internal/guard"
	"github.com/tabula-chess/tabula/internal/processor"
	"github.com/tabula-chess/tabula/syzygy"
)

// help is the first part of what --help prints.
const help = `tabula serve [flags]: the page and its engine, for a browser on this machine

Prints the address to open. Any other address than one of this machine's own needs
a token, by --token or TABULA_TOKEN: http://HOST:PORT/?token=TOKEN opens the page
then. With --cert and --key all of it goes over TLS, as https and wss. docs/web.md describes the messages that programs can send.

`

// tokenVariable is the variable of the environment for the token, which does not
// show in a list of processes.
const tokenVariable = "TABULA_TOKEN"

// leastToken is how many bytes a token has at least.
const leastToken = 16

// settings are what the flags say.
type settings struct {
	listen   string
	token    string
	cert     *certificate // nil: without TLS
	hosts    []string
	sessions int
	times    times
	board    session.Config
}

// Run obeys the arguments after "serve" until ctx ends, which is the way to end it:
// the error is command.ErrInterrupted then. Errors carry the exit codes of
// internal/command.
func Run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	s, err := parse(args, getenv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f, _ := newFlags(new(settings))
		_, err := io.WriteString(out, help+flags.Help(f))
		return err
	case err != nil:
		return command.WrongUsef("serve: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	srv, err := newServer(s, listener)
	if err != nil {
		return errors.Join(command.WrongUsef("serve: %w", err), listener.Close())
	}
	processor.Reserve()
	if _, err := fmt.Fprintln(out, srv.greeting()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := srv.run(ctx); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return command.ErrInterrupted
}

// texts are flags that need reading into settings.
type texts struct{ hosts, tables, cert, key string }

// newFlags returns the flags; those that need reading into s come back too.
func newFlags(s *settings) (f *flag.FlagSet, t *texts) {
	t = new(texts)
	f = flag.NewFlagSet("tabula serve", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&s.listen, "listen", "127.0.0.1:8080", "`address` to listen at, HOST:PORT")
	f.StringVar(&s.token, "token", "", "`text` that clients must know; needed beyond this machine")
	f.StringVar(&t.cert, "cert", "", "PEM `file` of the certificate: browsers come by https then")
	f.StringVar(&t.key, "key", "", "PEM `file` of its private key")
	f.StringVar(&t.hosts, "host", "", "`names`, between them commas, by which browsers may call this server, as behind a proxy")
	f.IntVar(&s.sessions, "sessions", 128, "clients at once")
	f.IntVar(&s.board.Engines, "engines", 1, "searches at once; clients take turns at them")
	f.IntVar(&s.board.Threads, "threads", 0, "threads of all engines together (default the cores of the machine)")
	f.IntVar(&s.board.Hash, "hash", 256, "transposition tables of all engines together, in MiB")
	f.DurationVar(&s.board.Search, "search", time.Hour, "longest search of one request")
	f.StringVar(&t.tables, "syzygy", "", "`directories` of endgame tables, between them ; or :")
	return f, t
}

// parse reads the flags and the environment.
func parse(args []string, getenv func(string) string) (*settings, error) {
	s := &settings{times: patience(), board: session.Config{Version: command.Version, Transport: "server", Shared: true}}
	f, t := newFlags(s)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if err := s.readToken(f, getenv); err != nil {
		return nil, err
	}
	if s.board.Threads == 0 {
		s.board.Threads = max(processor.Cores(), s.board.Engines)
	}
	s.board.Tables = syzygy.SplitPath(t.tables)
	s.hosts = strings.FieldsFunc(t.hosts, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range s.hosts {
		if err := hosts.CheckName(name); err != nil {
			return nil, fmt.Errorf("--host: %w", err)
		}
	}
	switch c := &s.board; {
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %.40q; see serve --help", f.Arg(0))
	case s.sessions < 1 || s.sessions > 10_000:
		return nil, fmt.Errorf("--sessions %d, want 1 to 10000", s.sessions)
	case c.Engines < 1 || c.Engines > 1024:
		return nil, fmt.Errorf("--engines %d, want 1 to 1024", c.Engines)
	case c.Threads < c.Engines:
		return nil, fmt.Errorf("--threads %d, want at least one for each of %d engines", c.Threads, c.Engines)
	case c.Hash < c.Engines:
		return nil, fmt.Errorf("--hash %d, want at least 1 for each of %d engines", c.Hash, c.Engines)
	case c.Search < time.Second:
		return nil, fmt.Errorf("--search %v, want at least 1s", c.Search)
	}
	s.board.Threads /= s.board.Engines
	s.board.Hash /= s.board.Engines
	address, err := net.ResolveTCPAddr("tcp", s.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	if !address.IP.IsLoopback() && s.token == "" {
		return nil, fmt.Errorf("--listen %s reaches beyond this machine and needs --token or %s", s.listen, tokenVariable)
	}
	if t.cert != "" || t.key != "" {
		if s.cert, err = readCertificate(t.cert, t.key); err != nil {
			return nil, err
		}
		s.hosts = append(s.hosts, s.cert.names()...)
	}
	return s, nil
}

// readToken takes the token from its flag, or else from the environment. One that is
// given and blank, as where a script's variable is unset, is refused: the server would
// let everybody in.
func (s *settings) readToken(f *flag.FlagSet, getenv func(string) string) error {
	name, given := "--token", false
	f.Visit(func(set *flag.Flag) { given = given || set.Name == "token" })
	if !given {
		name, s.token = tokenVariable, getenv(tokenVariable)
		given = s.token != ""
	}
	switch {
	case given && strings.TrimSpace(s.token) == "":
		return fmt.Errorf("%s is blank, want at least %d bytes", name, leastToken)
	case given && len(s.token) < leastToken:
		return fmt.Errorf("%s: %d bytes, want at least %d", name, len(s.token), leastToken)
	}
	return nil
}
