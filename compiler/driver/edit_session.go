package driver

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// keptBytesMax bounds the texts whose trees are kept between checks.
const keptBytesMax = 64 << 20

// EditSession checks schemas again and again while a person changes them. A file is parsed
// where its text is another than before. Its methods may be called from several
// goroutines.
type EditSession struct {
	tool *Tool

	mutex sync.Mutex
	kept  map[string]parsedFile // by name
	bytes int
	older map[string]*plan.Program // by revision, commit and project
}

type parsedFile struct {
	tree     *syntax.File
	problems *diag.List
}

// CheckResult is the result of a check of a project: of the schemas of a config file, or of one
// file by itself.
type CheckResult struct {
	// Project is the config file, or the file.
	Project string
	// Roots are the names of the schemas that were asked for.
	Roots []string
	// Trees are the files that were read, by name.
	Trees map[string]*syntax.File
	// Program is nil if a problem is an error.
	Program *plan.Program
	// Problems has what `sdp check` reports.
	Problems *diag.List

	config Config
	loader loader
}

// Edit begins.
func (t *Tool) Edit() *EditSession {
	quiet := &Tool{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Languages: t.Languages, Include: t.Include, ConfigPath: t.ConfigPath}
	return &EditSession{tool: quiet, kept: map[string]parsedFile{}, older: map[string]*plan.Program{}}
}

// Identity is equal for all paths of one file.
func Identity(path string) string {
	if identity, err := (disk{}).identity(path); err == nil {
		return identity
	}
	return path
}

// keeper is a loader whose trees are kept.
type keeper struct {
	loader
	editing *EditSession
	ctx     context.Context
	trees   map[string]*syntax.File
}

// GivenUp implements check.Keeper.
func (k keeper) GivenUp() bool { return k.ctx.Err() != nil }

// Parse implements check.Keeper.
func (k keeper) Parse(name string) (*syntax.File, *diag.List, error) {
	if err := k.ctx.Err(); err != nil {
		return nil, nil, err
	}
	text, isOpen := k.tree.(overlay).text(k.paths[name])
	if !isOpen {
		var err error
		if text, err = k.Read(name); err != nil {
			return nil, nil, err
		}
	}
	parsed := k.editing.parse(name, text)
	k.trees[name] = parsed.tree
	return parsed.tree, parsed.problems, nil
}

func (e *EditSession) parse(name, text string) parsedFile {
	e.mutex.Lock()
	known, isKept := e.kept[name]
	e.mutex.Unlock()
	if isKept && known.tree.Source.Text() == text {
		return known
	}
	parsed := parsedFile{problems: &diag.List{}}
	parsed.tree = syntax.Parse(name, text, parsed.problems)
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.bytes += len(text)
	if isKept {
		e.bytes -= len(known.tree.Source.Text())
	}
	if e.bytes > keptBytesMax {
		clear(e.kept)
		e.bytes = len(text)
	}
	e.kept[name] = parsed
	return parsed
}

// Tree parses one file. The problems are the problems of its text.
func (e *EditSession) Tree(open Open, path string) (*syntax.File, *diag.List, error) {
	text, isOpen := overlay{open: open}.text(path)
	if !isOpen {
		read, err := disk{}.readFile(path)
		if err != nil {
			return nil, nil, err
		}
		text = string(read)
	}
	parsed := e.parse(filepath.ToSlash(filepath.Clean(path)), text)
	return parsed.tree, parsed.problems, nil
}

// Schemas lists the schemas below a folder.
func (e *EditSession) Schemas(open Open, folder string) ([]string, error) {
	return overlay{open: open}.schemas(folder)
}

// config is that of the files in a folder.
func (e *EditSession) config(folder string, problems *diag.List) (Config, error) {
	path := e.tool.ConfigPath
	if path == "" {
		path = configAbove(folder)
	}
	if path == "" {
		return Config{}, nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return Config{}, err
	}
	return ReadConfig(path, e.tool.languages(), problems)
}

// Import finds the file that an import means. The result is empty where there is none.
func (e *EditSession) Import(open Open, importer, path string) string {
	config, err := e.config(filepath.Dir(importer), &diag.List{})
	if err != nil {
		return ""
	}
	l := e.tool.loader(overlay{open: open}, config)
	from, err := l.Find(importer, "")
	if err != nil {
		return ""
	}
	name, err := l.Find(path, from)
	if err != nil {
		return ""
	}
	return l.paths[name]
}

// Import is the same for a file that was checked; it asks the disk again only for imports that the
// check has not found.
func (c *CheckResult) Import(importer, path string) string {
	name, err := c.loader.Find(path, importer)
	if err != nil {
		return ""
	}
	return name
}

// Check checks the project that a file is of. Its error says that the context has ended,
// or what keeps a config file from being read.
func (e *EditSession) Check(ctx context.Context, open Open, path string) (*CheckResult, error) {
	c := &CheckResult{Project: path, Trees: map[string]*syntax.File{}, Problems: &diag.List{}}
	var err error
	if c.config, err = e.config(filepath.Dir(path), c.Problems); err != nil {
		return nil, err
	}
	lints := chosenLints(CheckOptions{}, c.config, c.Problems)
	c.loader = e.tool.loader(overlay{open: open}, c.config)
	k := keeper{c.loader, e, ctx, c.Trees}
	var empty diag.List
	roots, err := k.expand(c.config.Schemas, &empty)
	if err == nil && slices.ContainsFunc(roots, func(root string) bool { return root == path || Identity(root) == Identity(path) }) {
		c.Project = c.config.Path
		c.Problems.Append(&empty)
	} else {
		roots = []string{path}
	}
	for _, root := range roots {
		if name, err := k.Find(root, ""); err == nil {
			c.Roots = append(c.Roots, name)
		}
	}
	// Nobody reads the text of fingerprints here.
	schema, found := check.Program(k, roots, func(*syntax.File) string { return "" })
	c.Problems.Append(found)
	if ctx.Err() == nil && schema != nil {
		c.Program = plan.New(schema)
		c.Problems.Append(lint.Run(c.Program, lints))
	}
	return c, ctx.Err()
}

// Older is a project's program in a revision, git:REV, and nil where that has none of its schemas,
// or broken ones. The error says that there is no such revision.
func (e *EditSession) Older(c *CheckResult, old string) (*plan.Program, error) {
	name := cmp.Or(strings.TrimPrefix(old, gitPrefix), "HEAD")
	rev, err := openRevision(filepath.Dir(c.Project), name)
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{name, rev.commit, c.Project, strings.Join(c.Roots, "\n")}, "\n")
	e.mutex.Lock()
	older, isKept := e.older[key]
	e.mutex.Unlock()
	if isKept {
		return older, nil
	}
	var there []string
	for _, root := range c.Roots {
		if _, err := rev.isFolder(root); err == nil {
			there = append(there, root)
		}
	}
	if len(there) > 0 {
		l := e.tool.loader(rev, c.config)
		l.label = name + ":"
		older, _, _, err = analyze(l, there)
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	const olderMax = 16
	if len(e.older) >= olderMax {
		clear(e.older)
	}
	e.older[key] = older
	return older, err
}

// Compare reports the changes since an older state. All columns count where the config file names
// none.
func (e *EditSession) Compare(older *plan.Program, c *CheckResult) *compat.Report {
	compared := e.tool.languages().Compared()
	columns, unknown := compat.NewColumns(c.config.Breaking.For, compared)
	if unknown != "" || len(c.config.Breaking.For) == 0 {
		columns = compat.AllColumns
	}
	return compat.Compare(older.Schema, c.Program.Schema, compared, columns)
}
