package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// The servers of lichess: of the API, and of the work.
const (
	site   = "https://lichess.org"
	broker = "https://engine.lichess.ovh"
)

// poll bounds a request for work: the broker answers within seconds, with work or
// without, and a connection that outlived the machine's sleep must not hold us.
const poll = time.Minute

// mostAnswer bounds what is read of an answer, in bytes.
const mostAnswer = 1 << 20

// api is the protocol's side of lichess.
type api struct {
	site, broker string
	token        string
	secret       string // what marks this provider to the broker
}

// statusError is an answer other than the expected one.
type statusError struct {
	request string
	code    int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %d %s", e.request, e.code, http.StatusText(e.code))
}

// registration describes an engine to lichess.
type registration struct {
	ID             string   `json:"id,omitempty"`
	Name           string   `json:"name"`
	MaxThreads     int      `json:"maxThreads"`
	MaxHash        int      `json:"maxHash"`
	Variants       []string `json:"variants"`
	ProviderSecret string   `json:"providerSecret,omitempty"`
}

// work is what the broker asks for.
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

// register registers the engine, in place of one of the same name.
func (a *api) register(ctx context.Context, r registration) error {
	r.ProviderSecret = a.secret
	var present []registration
	if err := a.exchange(ctx, http.MethodGet, a.site+"/api/external-engine", a.token, nil, &present); err != nil {
		return err
	}
	for _, p := range present {
		if p.Name == r.Name {
			return a.exchange(ctx, http.MethodPut, a.site+"/api/external-engine/"+p.ID, a.token, r, nil)
		}
	}
	return a.exchange(ctx, http.MethodPost, a.site+"/api/external-engine", a.token, r, nil)
}

// acquire waits for work. Its ID is empty where there is none yet.
func (a *api) acquire(ctx context.Context) (w work, err error) {
	request := map[string]string{"providerSecret": a.secret}
	err = a.exchange(ctx, http.MethodPost, a.broker+"/api/external-engine/work", "", request, &w) // which knows the provider by its secret
	return w, err
}

// exchange sends body as JSON and reads the JSON answer into out, if it is not nil.
func (a *api) exchange(ctx context.Context, method, url, token string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return send(ctx, method, url, header, bytes.NewReader(text), out)
}

// submit sends the lines of a search as they come from body. It returns when the body
// ends or the broker wants no more.
func (a *api) submit(ctx context.Context, id string, body io.Reader) error {
	address := a.broker + "/api/external-engine/work/" + url.PathEscape(id)
	return send(ctx, http.MethodPost, address, http.Header{"Content-Type": {"text/plain"}}, body, nil)
}

// send sends a request and reads a JSON answer into out, if it is not nil and there is one.
func send(ctx context.Context, method, url string, header http.Header, body io.Reader, out any) error {
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return &statusError{method + " " + r.URL.Path, answer.StatusCode}
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil || out == nil || answer.StatusCode == http.StatusNoContent {
		return err
	}
	return json.Unmarshal(text, out)
}
