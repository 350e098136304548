package main

import (
	"context"
	"path/filepath"
	"strings"
)

// cpp makes an archive of what CMake installs: the headers of the runtime, those and the
// source of MXP, and packages of both that find_package finds. They are the same for every machine.
func (r *release) cpp(ctx context.Context) error {
	built, prefix := filepath.Join(r.work, "cpp"), filepath.Join(r.work, "prefix")
	for _, command := range [][]string{
		{"cmake", "-S", filepath.Join(r.source(), "mxp", "cpp"), "-B", built, "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_INSTALL_INCLUDEDIR=include"},
		{"cmake", "--install", built, "--prefix", prefix},
	} {
		if _, err := output(ctx, r.work, command...); err != nil {
			return err
		}
	}
	name := "sdp-cpp_" + r.version
	files, err := below(prefix, name)
	if err != nil {
		return err
	}
	for _, paper := range papers {
		files = append(files, archiveFile{name + "/share/doc/sdp/" + paper, r.paper(sdp, paper), 0o644})
	}
	return tarred(r.file(name+".tar.gz"), files, r.time)
}

// sources makes an archive of the repository, and one of a folder of the Go modules, for builds
// without a network: GOPROXY=file://FOLDER.
func (r *release) sources(ctx context.Context) (err error) {
	name := strings.TrimSuffix(r.sourceArchive(), ".tar.gz")
	text, err := r.git(ctx, "archive", "--format=tar", "--prefix="+name+"/", tagOf(".", r.version))
	if err != nil {
		return err
	}
	if err := gzipped(r.file(r.sourceArchive()), []byte(text)); err != nil {
		return err
	}
	modules := "sdp_" + r.version + "_goproxy"
	files, err := below(r.goproxy(), modules)
	if err != nil {
		return err
	}
	return tarred(r.file(modules+".tar.gz"), files, r.time)
}
