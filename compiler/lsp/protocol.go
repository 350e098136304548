package lsp

import "encoding/json"

// The messages of LSP 3.17, as far as they are used.

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

// workspaceEdit has either: changes by document, or changes with the versions of their documents.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

type documentEdit struct {
	Document versionOf  `json:"textDocument"`
	Edits    []textEdit `json:"edits"`
}

// versionOf names a document; one that is not open has no version.
type versionOf struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

type initializeParams struct {
	RootURI          string            `json:"rootUri"`
	WorkspaceFolders []workspaceFolder `json:"workspaceFolders"`
	// Options are an initializationOptions, or anything else that a client sends there.
	Options      json.RawMessage `json:"initializationOptions"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			DidChangeWatchedFiles dynamic        `json:"didChangeWatchedFiles"`
			CodeLens              refreshSupport `json:"codeLens"`
			InlayHint             refreshSupport `json:"inlayHint"`
			WorkspaceEdit         struct {
				DocumentChanges bool `json:"documentChanges"`
			} `json:"workspaceEdit"`
		} `json:"workspace"`
	} `json:"capabilities"`
}

type initializationOptions struct {
	// Against is the revision that lenses compare with; empty means HEAD.
	Against string `json:"against"`
}

type dynamic struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

type refreshSupport struct {
	RefreshSupport bool `json:"refreshSupport"`
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

type documentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int32  `json:"version"`
	Text       string `json:"text"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
}

type openParams struct {
	Document documentItem `json:"textDocument"`
}

type changeParams struct {
	Document documentID `json:"textDocument"`
	Changes  []change   `json:"contentChanges"`
}

type change struct {
	// Range is nil where the text is all of the document.
	Range *textRange `json:"range"`
	Text  string     `json:"text"`
}

type documentParams struct {
	Document documentID `json:"textDocument"`
}

type positionParams struct {
	Document documentID `json:"textDocument"`
	Position position   `json:"position"`
}

type rangeParams struct {
	Document documentID `json:"textDocument"`
	Range    textRange  `json:"range"`
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type codeActionParams struct {
	rangeParams
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type symbolParams struct {
	Query string `json:"query"`
}

type foldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

type commandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type cancelParams struct {
	ID json.RawMessage `json:"id"`
}

type diagnostic struct {
	Range    textRange     `json:"range"`
	Severity int           `json:"severity"` // 1 error, 2 warning
	Code     string        `json:"code"`
	Source   string        `json:"source"`
	Message  string        `json:"message"`
	Related  []relatedInfo `json:"relatedInformation,omitempty"`
	Tags     []int         `json:"tags,omitempty"` // 1 unnecessary
}

type relatedInfo struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func markdown(text string) *markup { return &markup{"markdown", text} }

type hover struct {
	Contents *markup   `json:"contents"`
	Range    textRange `json:"range"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit"`
}

type completionItem struct {
	Label         string  `json:"label"`
	Kind          int     `json:"kind"`
	Detail        string  `json:"detail,omitempty"`
	Documentation *markup `json:"documentation,omitempty"`
	SortText      string  `json:"sortText,omitempty"`
	// InsertText is set where it is another than the label.
	InsertText string `json:"insertText,omitempty"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          textRange        `json:"range"`
	SelectionRange textRange        `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name          string   `json:"name"`
	Kind          int      `json:"kind"`
	Location      location `json:"location"`
	ContainerName string   `json:"containerName,omitempty"`
}

type foldingRange struct {
	StartLine uint32 `json:"startLine"`
	EndLine   uint32 `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

type inlayHint struct {
	Position    position `json:"position"`
	Label       string   `json:"label"`
	Tooltip     string   `json:"tooltip,omitempty"`
	PaddingLeft bool     `json:"paddingLeft"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}
