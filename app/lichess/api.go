package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// engines is the path of the external engine API.
const engines = "/api/external-engine"

// mostAnswer is the maximum size of an answer in bytes.
const mostAnswer = 1 << 20

// errRefused reports that the server does not accept the token.
var errRefused = errors.New("lichess does not accept the token; it needs the scopes engine:read and engine:write")

// server is a server of lichess and the token for it, "" for none.
type server struct{ address, token string }

// registration describes an engine to lichess.
type registration struct {
	ID             string   `json:"id,omitempty"`
	Name           string   `json:"name"`
	MaxThreads     int      `json:"maxThreads"`
	MaxHash        int      `json:"maxHash"`
	Variants       []string `json:"variants"`
	ProviderSecret string   `json:"providerSecret,omitempty"`
}

// work is a request of the broker.
type work struct {
	ID   string `json:"id"`
	Work struct {
		Session    string   `json:"sessionId"`
		Threads    int      `json:"threads"`
		Hash       int      `json:"hash"`
		MultiPV    int      `json:"multiPv"`
		Variant    string   `json:"variant"`
		InitialFEN string   `json:"initialFen"`
		Moves      []string `json:"moves"`
		MoveTime   int64    `json:"movetime"`
		Depth      int      `json:"depth"`
		Nodes      uint64   `json:"nodes"`
	} `json:"work"`
}

// register registers the engine and replaces a registered engine of the same name.
func (s server) register(ctx context.Context, r registration) error {
	var present []registration
	if err := s.call(ctx, http.MethodGet, engines, nil, &present); err != nil {
		return err
	}
	for _, p := range present {
		if p.Name == r.Name {
			return s.call(ctx, http.MethodPut, engines+"/"+url.PathEscape(p.ID), r, nil)
		}
	}
	return s.call(ctx, http.MethodPost, engines, r, nil)
}

// straight follows no redirects: they would send the secrets to another host.
var straight = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// call sends body, as JSON unless it is a reader, and reads the JSON answer, if there is one, into
// out, unless that is nil.
func (s server) call(ctx context.Context, method, path string, body, out any) error {
	text, ok := body.(io.Reader)
	if !ok && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.address+path, text)
	if err != nil {
		return err
	}
	switch {
	case ok:
		r.Header.Set("Content-Type", "text/plain")
	case body != nil:
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := straight.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch b, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer)); {
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return errRefused
	case answer.StatusCode/100 != 2:
		return fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, http.StatusText(answer.StatusCode))
	case err != nil || out == nil || answer.StatusCode == http.StatusNoContent:
		return err
	default:
		return json.Unmarshal(b, out)
	}
}
