package peer

import (
	"crypto/x509"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Case is one action of a peer, with its required consequences.
type Case struct {
	// Name is its group and the peer's action.
	Name string
	// Clauses are the clauses of spec/mxp.md that require the consequences.
	Clauses string
	// Over are the transports that it is played over; where there are none, over all.
	Over []string

	server func(*Server)
	client func(*Client)
}

func (c *Case) runsOver(scheme string) bool {
	return len(c.Over) == 0 || slices.Contains(c.Over, scheme)
}

// Result is how a case ended.
type Result struct {
	Case  *Case
	Fault string // empty if it passed
	Took  time.Duration
}

// Selection are the cases that are played.
type Selection struct {
	Names *regexp.Regexp
	// Together is how many are played at a time.
	Together int
}

func (s Selection) of(all []*Case, scheme string) (chosen []*Case) {
	for _, c := range all {
		if c.runsOver(scheme) && (s.Names == nil || s.Names.MatchString(c.Name)) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// play plays cases, several at a time, and gives their results in their order.
func (s Selection) play(cases []*Case, one func(*Case)) []Result {
	results := make([]Result, len(cases))
	places := make(chan struct{}, max(1, s.Together))
	var all sync.WaitGroup
	for i, c := range cases {
		places <- struct{}{}
		all.Add(1)
		go func() {
			defer func() { <-places; all.Done() }()
			results[i] = attempt(c, one)
		}()
	}
	all.Wait()
	return results
}

func attempt(c *Case, one func(*Case)) (result Result) {
	began := time.Now()
	result.Case = c
	defer func() {
		result.Took = time.Since(began)
		switch found := recover().(type) {
		case nil:
		case fault:
			result.Fault = found.text
		default:
			panic(found)
		}
	}()
	one(c)
	return result
}

// Servers plays cases against a server, which serves demo.Echo.
func Servers(at Address, roots *x509.CertPool, s Selection) []Result {
	return s.play(s.of(ServerCases(), at.Scheme), func(c *Case) {
		played := &Server{at: at, roots: roots}
		defer played.close()
		c.server(played)
	})
}

// Clients plays cases against clients that a program runs, which connect by a transport.
func Clients(program *Program, scheme string, s Selection) []Result {
	return s.play(s.of(ClientCases(), scheme), func(c *Case) {
		played, err := newClient(program, scheme)
		if err != nil {
			fail("no client can be waited for: %v", err)
		}
		defer played.close()
		c.client(played)
	})
}

// ClientCases are the cases that play a server.
func ClientCases() []*Case {
	return slices.Concat(clientFrameCases, clientHelloCases, clientCallCases, askedCases, clientStreamCases, clientEndCases, clientSilentCases, clientSocketCases, clientSharedCases, clientSecureCases)
}

// ServerCases are the cases that play a client.
func ServerCases() []*Case {
	return slices.Concat(frameCases, helloCases, identifierCases, callCases, eventCases, streamCases, creditCases, batchCases, endCases, limitCases, silentCases, socketCases, sharedCases)
}

// Report is the faults of results, a line each, and how many cases passed.
func Report(results []Result) (text string, passed int) {
	var made strings.Builder
	for _, r := range results {
		if r.Fault == "" {
			passed++
			continue
		}
		fmt.Fprintf(&made, "FAILED  %s [%s]\n        %s\n", r.Case.Name, r.Case.Clauses, r.Fault)
	}
	return made.String(), passed
}
