package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// server is one client's. But for what its comments say it belongs to one goroutine.
type server struct {
	editing *driver.EditSession
	out     *writer
	log     io.Writer
	units   encoding
	against string
	// knows are the abilities that the client announces.
	knows initializeParams

	initialized, shutdown bool
	folders               []string
	docs                  map[string]*document     // by path
	open                  driver.Open              // their texts; never changed, but made anew
	indexes               map[string]*syntax.Index // by name

	projects map[string]*driver.CheckResult
	// good is the last state of a project without an error, and first the first of these.
	good, first map[string]*plan.Program
	tables      map[*plan.Program][]*names.Table
	stale       map[string]bool // paths of documents that have to be checked
	edited      map[string]bool // paths of documents whose problems are owed to the client
	published   map[string]string
	generation  int
	jobs        slot[checkJob]
	found       chan checkResult
	cancel      context.CancelFunc
	// waiting are requests that are answered when all has been checked.
	waiting []*message

	lensDue map[string]bool // paths of documents whose lenses are to be made
	lenses  slot[lensJob]
	lensed  chan lensResult
	reports map[string]*comparison // by project

	mutex   sync.Mutex
	pending map[string]bool // requests that have come, and whether each is canceled

	requests int
	// onPanic gets the value of a handler's panic, beside the log.
	onPanic func(any)
}

// slot holds the one thing that is to be done next. One goroutine puts, one takes.
type slot[T any] chan T

func (s slot[T]) put(next T) {
	select {
	case <-s:
	default:
	}
	s <- next
}

// errExit ends the loop.
var errExit = errors.New("exit")

// Serve serves one client on the tool's input and output, until it says exit or closes
// the input. The error says that it went without saying shutdown.
func Serve(tool *driver.Tool) error {
	return newServer(tool).serve(tool.In)
}

func newServer(tool *driver.Tool) *server {
	return &server{
		editing: tool.Edit(), out: &writer{out: tool.Out}, log: tool.Err, units: utf16Units,
		docs: map[string]*document{}, open: driver.Open{}, indexes: map[string]*syntax.Index{},
		projects: map[string]*driver.CheckResult{}, good: map[string]*plan.Program{}, first: map[string]*plan.Program{},
		tables: map[*plan.Program][]*names.Table{},
		stale:  map[string]bool{}, edited: map[string]bool{}, published: map[string]string{},
		jobs: make(slot[checkJob], 1), found: make(chan checkResult), cancel: func() {},
		lensDue: map[string]bool{}, lenses: make(slot[lensJob], 1), lensed: make(chan lensResult), reports: map[string]*comparison{},
		pending: map[string]bool{}, onPanic: func(any) {},
	}
}

// incoming is a message, or the reason why there is none.
type incoming struct {
	message *message
	err     error
}

func (s *server) serve(r io.Reader) error {
	done := make(chan struct{})
	messages := make(chan incoming, 64)
	var background sync.WaitGroup
	background.Add(2)
	go func() { defer background.Done(); s.checkInBackground(done) }()
	go func() { defer background.Done(); s.compareInBackground(done) }()
	defer func() {
		s.cancel()
		close(done)
		background.Wait()
	}()
	go s.read(newReader(r), messages, done)
	for s.out.failed() == nil {
		select {
		case m := <-messages:
			if err := s.take(m); errors.Is(err, errExit) {
				if s.shutdown {
					return nil
				}
				return driver.ErrRefused
			} else if err != nil {
				return nil // the client is gone
			}
		case result := <-s.found:
			s.guard("a check's result", func() { s.checked(result) })
		case result := <-s.lensed:
			s.guard("lenses", func() { s.compared(result) })
		}
	}
	return s.out.failed()
}

// read passes messages on. Requests are known as soon as they have come, so that they can
// be canceled while others are answered.
func (s *server) read(r *reader, messages chan<- incoming, stop <-chan struct{}) {
	for {
		m, err := r.next()
		if m != nil && m.Method == "$/cancelRequest" {
			var params cancelParams
			if json.Unmarshal(m.Params, &params) == nil {
				s.mutex.Lock()
				if _, isPending := s.pending[string(params.ID)]; isPending {
					s.pending[string(params.ID)] = true
				}
				s.mutex.Unlock()
			}
			continue
		}
		if m != nil && m.ID != nil && m.Method != "" {
			s.mutex.Lock()
			s.pending[string(m.ID)] = false
			s.mutex.Unlock()
		}
		select {
		case messages <- incoming{m, err}:
		case <-stop:
			return
		}
		var wrong *wrongMessage
		if err != nil && !errors.As(err, &wrong) {
			return
		}
	}
}

// take answers a message. Its error ends the server.
func (s *server) take(scope incoming) error {
	var wrong *wrongMessage
	switch {
	case errors.As(scope.err, &wrong):
		s.out.refuse(nil, &responseError{wrong.code, wrong.text})
	case scope.err != nil:
		return scope.err
	case scope.message.Method == "exit":
		return errExit
	case scope.message.Method == "" && scope.message.ID != nil:
		// The client's answer to a request of the server's, none of which waits for one.
	default:
		s.guard(scope.message.Method, func() { s.dispatch(scope.message) })
	}
	return nil
}

// guard keeps a panic from ending the server.
func (s *server) guard(subject string, do func()) {
	defer func() {
		if reason := recover(); reason != nil {
			s.panicked(subject, reason)
		}
	}()
	do()
}

func (s *server) panicked(subject string, reason any) {
	fmt.Fprintf(s.log, "sdp lsp: %s: %v\n%s\n", subject, reason, debug.Stack())
	s.onPanic(reason)
}

// handler answers requests of a method, or does what a notification says.
type handler struct {
	do func(s *server, params json.RawMessage) (any, error)
	// waits says that the answer is about what a check finds.
	waits bool
}

// on is a handler with parameters of a type.
func on[P any](do func(*server, P) (any, error)) handler {
	return handler{do: func(s *server, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, &responseError{codeInvalidParams, err.Error()}
			}
		}
		return do(s, params)
	}}
}

func (h handler) afterCheck() handler { h.waits = true; return h }

var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"initialize":                          on((*server).initialize),
		"initialized":                         on((*server).isInitialized),
		"shutdown":                            on(func(s *server, _ struct{}) (any, error) { s.shutdown = true; return nil, nil }),
		"textDocument/didOpen":                on((*server).didOpen),
		"textDocument/didChange":              on((*server).didChange),
		"textDocument/didSave":                on((*server).didSave),
		"textDocument/didClose":               on((*server).didClose),
		"workspace/didChangeWatchedFiles":     on((*server).didChangeFiles),
		"workspace/didChangeWorkspaceFolders": on((*server).didChangeFolders),
		"textDocument/hover":                  on((*server).hover),
		"textDocument/definition":             on((*server).definition),
		"textDocument/references":             on((*server).references),
		"textDocument/documentHighlight":      on((*server).highlight),
		"textDocument/prepareRename":          on((*server).prepareRename),
		"textDocument/rename":                 on((*server).rename),
		"textDocument/documentSymbol":         on((*server).documentSymbols),
		"workspace/symbol":                    on((*server).workspaceSymbols),
		"textDocument/completion":             on((*server).completion),
		"textDocument/formatting":             on((*server).formatting),
		"textDocument/semanticTokens/full":    on((*server).semanticTokens),
		"textDocument/foldingRange":           on((*server).folding),
		"textDocument/inlayHint":              on((*server).inlayHints).afterCheck(),
		"textDocument/codeAction":             on((*server).codeActions).afterCheck(),
		"textDocument/codeLens":               on((*server).codeLenses),
		"workspace/executeCommand":            on((*server).executeCommand),
	}
}

// waitingMax bounds the requests that wait for a check.
const waitingMax = 1000

func (s *server) dispatch(m *message) {
	isRequest := m.ID != nil
	h, known := handlers[m.Method]
	if isRequest && h.waits && len(s.stale) > 0 && len(s.waiting) < waitingMax && s.initialized {
		s.waiting = append(s.waiting, m)
		return
	}
	var value any
	var err error
	switch {
	case isRequest && s.canceled(m.ID):
		err = &responseError{codeRequestCanceled, "canceled"}
	case !s.initialized && m.Method != "initialize":
		err = &responseError{codeNotInitialized, "the first request is initialize"}
	case s.shutdown:
		err = &responseError{codeInvalidRequest, "the server is shut down"}
	case !known:
		err = &responseError{codeMethodNotFound, fmt.Sprintf("there is no method %.100q", m.Method)}
	default:
		err = &responseError{codeInternal, "the server has made a mistake; its standard error says which"}
		s.guard(m.Method, func() { value, err = h.do(s, m.Params) })
	}
	if !isRequest {
		return
	}
	if err == nil {
		s.out.answer(m.ID, value)
		return
	}
	var refused *responseError
	if !errors.As(err, &refused) {
		refused = &responseError{codeInternal, err.Error()}
	}
	s.out.refuse(m.ID, refused)
}

// canceled tells whether a request is, which is answered now.
func (s *server) canceled(id json.RawMessage) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	canceled := s.pending[string(id)]
	delete(s.pending, string(id))
	return canceled
}

// answerWaiting answers the requests that waited for a check.
func (s *server) answerWaiting() {
	waiting := s.waiting
	s.waiting = nil
	for _, m := range waiting {
		s.dispatch(m)
	}
}

func (s *server) initialize(params initializeParams) (any, error) {
	if s.initialized {
		return nil, &responseError{codeInvalidRequest, "the server is initialized already"}
	}
	var options initializationOptions
	_ = json.Unmarshal(params.Options, &options) // what is of another shape says nothing
	s.initialized, s.knows, s.against = true, params, options.Against
	if slices.Contains(params.Capabilities.General.PositionEncodings, string(utf8Units)) {
		s.units = utf8Units
	}
	if len(params.WorkspaceFolders) == 0 && params.RootURI != "" {
		params.WorkspaceFolders = []workspaceFolder{{params.RootURI}}
	}
	s.addFolders(params.WorkspaceFolders)
	return object{
		"serverInfo": object{"name": "sdp", "version": driver.Version},
		"capabilities": object{
			"positionEncoding":           s.units,
			"textDocumentSync":           object{"openClose": true, "change": 2, "save": true},
			"hoverProvider":              true,
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentHighlightProvider":  true,
			"renameProvider":             object{"prepareProvider": true},
			"documentSymbolProvider":     true,
			"workspaceSymbolProvider":    true,
			"completionProvider":         object{"triggerCharacters": []string{".", "@", "\"", "/", ":", "(", "["}},
			"documentFormattingProvider": true,
			"semanticTokensProvider": object{
				"legend": object{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}, "full": true,
			},
			"foldingRangeProvider":   true,
			"inlayHintProvider":      true,
			"codeActionProvider":     object{"codeActionKinds": []string{quickFix, fixAll}},
			"codeLensProvider":       object{},
			"executeCommandProvider": object{"commands": []string{commandBreaking}},
			"workspace":              object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
		},
	}, nil
}

func (s *server) addFolders(folders []workspaceFolder) {
	for _, folder := range folders {
		if path, isFile := pathOf(folder.URI); isFile && !slices.Contains(s.folders, path) {
			s.folders = append(s.folders, path)
		}
	}
}

func (s *server) didChangeFolders(params foldersParams) (any, error) {
	for _, folder := range params.Event.Removed {
		path, _ := pathOf(folder.URI)
		s.folders = slices.DeleteFunc(s.folders, func(names string) bool { return names == path })
	}
	s.addFolders(params.Event.Added)
	return nil, nil
}

func (s *server) isInitialized(struct{}) (any, error) {
	if s.knows.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		watchers := []map[string]string{{"globPattern": "**/*.sdp"}, {"globPattern": "**/" + filepath.Base(driver.ConfigName)}}
		s.request("client/registerCapability", object{"registrations": []any{object{
			"id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": object{"watchers": watchers},
		}}})
	}
	return nil, nil
}

// request asks the client for something whose answer says nothing.
func (s *server) request(method string, params any) {
	s.requests++
	message := object{"id": fmt.Sprintf("sdp-%d", s.requests), "method": method}
	if params != nil {
		message["params"] = params
	}
	s.out.send(message)
}

// show shows a person a text: 1 is an error, 3 is none.
func (s *server) show(kind int, text string) {
	s.out.notify("window/showMessage", object{"type": kind, "message": text})
}
