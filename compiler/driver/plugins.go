package driver

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/plugin"
)

// PluginOptions are what the command line says of plugins.
type PluginOptions struct {
	// Programs are paths of programs as NAME=PATH, and Options are NAME:OPTION=VALUE.
	Programs, Options []string
	// Timeout and MaxMiB are for all plugins, if they are not 0.
	Timeout time.Duration
	MaxMiB  int64
}

// The limits of a plugin where nothing is said.
var (
	PluginTimeout = plugin.DefaultLimits.Time
	PluginMaxMiB  = plugin.DefaultLimits.Bytes >> 20
)

// pluginNames are what a plugin can be called.
var pluginNames = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// isPlugin reports whether an output is made by a program.
func (t *Tool) isPlugin(o place.Output) bool {
	_, known := t.languages().Find(o.Language)
	return !known
}

// noGenerator says why there is nothing that makes an output; it is empty where there is.
func (t *Tool) noGenerator(o place.Output) (problem, help string) {
	if !t.isPlugin(o) {
		return "", ""
	}
	if !pluginNames.MatchString(o.Language) {
		return fmt.Sprintf("there is no generator for %q", o.Language), t.noSuchLanguage(o.Language)
	}
	_, err := plugin.Find(o.Language, o.Plugin.Program)
	name := plugin.Prefix + o.Language
	switch {
	case err == nil:
		return "", ""
	case o.Plugin.Program != "":
		return fmt.Sprintf("the plugin for %q cannot be run: %s: %v", o.Language, filepath.ToSlash(o.Plugin.Program), err), ""
	case errors.Is(err, exec.ErrDot):
		return fmt.Sprintf("the plugin for %q is on PATH by a relative folder alone, where programs are not run from", o.Language),
			fmt.Sprintf("write `--plugin %s=./%s`", o.Language, name)
	}
	return fmt.Sprintf("there is no generator for %q, and no program %s on PATH", o.Language, name), t.noSuchLanguage(o.Language)
}

// plug puts what the command line says of plugins into the outputs that they make.
func (t *Tool) plug(options PluginOptions, outputs []place.Output) error {
	set := func(flag, value, name string, visit func(*place.Plugin)) error {
		found := false
		for i := range outputs {
			if outputs[i].Language == name && t.isPlugin(outputs[i]) {
				found = true
				visit(&outputs[i].Plugin)
			}
		}
		if _, builtIn := t.languages().Find(name); builtIn {
			return usagef("--%s %s is for plugins, and sdp makes %s itself", flag, value, name)
		}
		if !found {
			return usagef("--%s %s is for none of the outputs", flag, value).withHelp("add `--out %s=DIR`", name)
		}
		return nil
	}
	for _, value := range options.Programs {
		name, path, found := strings.Cut(value, "=")
		if !found || name == "" || path == "" {
			return usagef("--plugin is NAME=PATH, not %q", value).withHelp("write for instance `--plugin lua=./sdp-gen-lua`")
		}
		if err := set("plugin", value, name, func(p *place.Plugin) { p.Program = path }); err != nil {
			return err
		}
	}
	for _, value := range options.Options {
		name, option, isNamed := strings.Cut(value, ":")
		key, text, isSet := strings.Cut(option, "=")
		if !isNamed || !isSet || name == "" || key == "" {
			return usagef("--option is NAME:OPTION=VALUE, not %q", value).withHelp("write for instance `--option lua:module=host`")
		}
		if err := set("option", value, name, func(p *place.Plugin) { p.Options[key] = text }); err != nil {
			return err
		}
	}
	if options.Timeout < 0 || options.MaxMiB < 0 {
		return usagef("--plugin-timeout and --plugin-max-mib are not negative")
	}
	for i := range outputs {
		p := &outputs[i].Plugin
		if options.Timeout != 0 {
			p.Timeout = options.Timeout
		}
		if options.MaxMiB != 0 {
			p.MaxMiB = options.MaxMiB
		}
	}
	return nil
}

// plugin adds the files that a program makes for an output.
func (g *generation) plugin(o place.Output) error {
	packages, err := g.packages(o)
	if err != nil || len(packages) == 0 {
		return err
	}
	program, err := g.tool.programOf(o)
	if err != nil {
		return err
	}
	roots := slices.DeleteFunc(slices.Clone(g.program.Schema.Roots), func(pkg *ir.Package) bool { return !slices.Contains(packages, pkg) })
	ctx, done := g.tool.interruptible()
	defer done()
	files, problems, err := plugin.Generate(ctx, program, g.program, plugin.Parameters{
		Version: Version, Name: o.Language, Options: o.Plugin.Options, Generate: packages, Roots: roots,
	})
	switch {
	case errors.Is(err, context.Canceled):
		return ErrInterrupted
	case err != nil:
		return err
	}
	g.Problems.Append(problems)
	plugin.RefuseLinks(o.Dir, files, &g.Problems)
	for _, f := range files {
		path := filepath.Join(o.Dir, filepath.FromSlash(f.Path))
		g.RefuseForeign(path, plugin.Mark, "generate into another folder")
		// A plugin may write the line ends of its own system.
		if err := g.Files.Add(path, withLF(f.Content)); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		g.plugged = append(g.plugged, fmt.Sprintf("%s → %s (%s)", o.Language, filepath.ToSlash(o.Dir), sized(len(files), "file")))
	}
	for _, earlier := range place.EarlierBy(o.Dir, pluginMark(o)) {
		if slices.ContainsFunc(packages, func(pkg *ir.Package) bool { return filepath.Base(pkg.Path) == earlier.Schema }) {
			g.earlier = append(g.earlier, earlier)
		}
	}
	return nil
}

// programOf is the program that makes an output.
func (t *Tool) programOf(o place.Output) (plugin.Program, error) {
	path, err := plugin.Find(o.Language, o.Plugin.Program)
	program := plugin.Program{Name: o.Language, Path: path, Limits: plugin.DefaultLimits}
	if o.Plugin.Timeout != 0 {
		program.Limits.Time = o.Plugin.Timeout
	}
	if o.Plugin.MaxMiB != 0 {
		program.Limits.Bytes = o.Plugin.MaxMiB << 20
	}
	if t.Format == "" || t.Format == FormatText {
		program.Err = t.Err
	}
	return program, err
}

// pluginMark begins what the files of an output say of who made them.
func pluginMark(o place.Output) string { return "generated by " + plugin.Prefix + o.Language }
