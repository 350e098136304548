package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// pythonLibrary is a library in Python.
type pythonLibrary struct {
	// folder is its own, sources the folder of its modules in there, and module what programs import.
	folder, sources, module string
}

var (
	pythonRuntime = pythonLibrary{"runtime/python", "sdp", "serial_data_protocol"}
	pythonMXP     = pythonLibrary{"mxp/python", "mesh_exchange_protocol", "mesh_exchange_protocol"}
)

// pythonLibraries makes wheels of the libraries, of the runtime with and without its native engine, and an archive of the runtime's
// sources, which need no compiler.
func (r *release) pythonLibraries(ctx context.Context) error {
	runtime, err := r.pythonWheel(pythonRuntime)
	if err != nil {
		return err
	}
	if err := r.packWheel(ctx, runtime); err != nil {
		return err
	}
	if err := r.pythonSources(pythonRuntime, runtime); err != nil {
		return err
	}
	engines, err := r.engines(ctx)
	if err != nil {
		return err
	}
	for _, engine := range engines {
		native := runtime
		if err := native.add(engine); err != nil {
			return err
		}
		if err := r.packWheel(ctx, native); err != nil {
			return err
		}
	}
	mxp, err := r.pythonWheel(pythonMXP)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		core, err := r.core(ctx, machine)
		if err != nil {
			return err
		}
		native := mxp
		if err := native.add(core); err != nil {
			return err
		}
		if err := r.packWheel(ctx, native); err != nil {
			return err
		}
	}
	return nil
}

// pythonProject is a library in its pyproject.toml.
type pythonProject struct {
	Name, Version, Description, Readme, License string
	RequiresPython                              string `toml:"requires-python"`
	Dependencies                                []string
	OptionalDependencies                        map[string][]string `toml:"optional-dependencies"`
}

// pythonWheel is the wheel of a library, for all machines.
func (r *release) pythonWheel(library pythonLibrary) (wheel, error) {
	folder := filepath.Join(r.source(), filepath.FromSlash(library.folder))
	text, err := os.ReadFile(filepath.Join(folder, "pyproject.toml"))
	if err != nil {
		return wheel{}, err
	}
	var file struct{ Project pythonProject }
	if err := toml.Unmarshal(text, &file); err != nil {
		return wheel{}, fmt.Errorf("%s: %w", library.folder, err)
	}
	readme, err := os.ReadFile(filepath.Join(folder, file.Project.Readme))
	if err != nil {
		return wheel{}, err
	}
	files, err := pythonModules(filepath.Join(folder, library.sources), library.module)
	if err != nil {
		return wheel{}, err
	}
	return wheel{
		distribution: strings.ReplaceAll(file.Project.Name, "-", "_"), metadata: file.Project.metadata(string(readme)),
		interpreter: "py3", abi: "none", platforms: []string{"any"}, files: files, papers: r.licences(""),
	}, nil
}

// metadata is for a library's page on PyPI.
func (p *pythonProject) metadata(readme string) string {
	text := "Metadata-Version: 2.4\nName: " + p.Name + "\nVersion: " + p.Version + "\nSummary: " + p.Description + "\n" +
		"License-Expression: " + p.License + "\nProject-URL: Source, https://" + repository + "\nRequires-Python: " + p.RequiresPython + "\n"
	for _, name := range p.Dependencies {
		text += "Requires-Dist: " + name + "\n"
	}
	for _, extra := range slices.Sorted(maps.Keys(p.OptionalDependencies)) {
		text += "Provides-Extra: " + extra + "\n"
		for _, name := range p.OptionalDependencies[extra] {
			text += "Requires-Dist: " + name + "; extra == \"" + extra + "\"\n"
		}
	}
	return text + "Description-Content-Type: text/markdown\n\n" + readme
}

// pythonModules are the modules of a folder, and the mark that they have types, as an archive has them.
func pythonModules(folder, name string) ([]archiveFile, error) {
	all, err := below(folder, name)
	if err != nil {
		return nil, err
	}
	var files []archiveFile
	for _, file := range all {
		if filepath.Ext(file.name) == ".py" || filepath.Base(file.name) == "py.typed" {
			file.mode = 0o644
			files = append(files, file)
		}
	}
	return files, nil
}

// pythonSources makes an archive of a library from which pip builds the wheel by itself.
func (r *release) pythonSources(library pythonLibrary, w wheel) error {
	folder := filepath.Join(r.source(), filepath.FromSlash(library.folder))
	name := w.distribution + "-" + r.version
	about := filepath.Join(r.work, name+".pkg-info")
	if err := os.WriteFile(about, []byte(w.about()), 0o644); err != nil {
		return err
	}
	files := []archiveFile{
		{name + "/PKG-INFO", about, 0o644}, {name + "/README.md", filepath.Join(folder, "README.md"), 0o644},
		{name + "/pyproject.toml", filepath.Join(folder, "pyproject.toml"), 0o644},
	}
	for _, paper := range w.papers {
		files = append(files, archiveFile{name + "/" + paper.name, paper.from, paper.mode})
	}
	modules, err := pythonModules(filepath.Join(folder, library.sources), name+"/"+library.sources)
	if err != nil {
		return err
	}
	return tarred(r.file(name+".tar.gz"), append(files, modules...), r.time)
}
