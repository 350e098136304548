package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// escape is the folder of a module in the cache of modules, below it.
func escape(path, version string) (string, error) {
	p, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	v, err := module.EscapeVersion(version)
	return filepath.FromSlash(p + "@" + v), err
}

// archiveFile is a file in an archive.
type archiveFile struct {
	name, from string
	mode       fs.FileMode
}

// pack makes the archive of a program for a target: a folder of the archive's name.
func (r *release) pack(p program, t target) error {
	name := r.archive(p, t)
	folder := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz") + "/"
	files := []archiveFile{{folder + p.file(t), r.binary(p, t), 0o755}}
	for _, paper := range append([]string{thirdParty}, papers...) {
		files = append(files, archiveFile{folder + paper, r.paper(p, paper), 0o644})
	}
	if p == sdp && t.os != "windows" {
		pages, err := below(r.manFolder(), folder+manPlace)
		if err != nil {
			return err
		}
		files = append(files, pages...)
	}
	if strings.HasSuffix(name, ".zip") {
		return zipped(r.file(name), files, r.time)
	}
	return tarred(r.file(name), files, r.time)
}

// below are all files of a folder, in the order of their names, as an archive has them below a name.
func below(folder, name string) (files []archiveFile, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		files = append(files, archiveFile{name + "/" + filepath.ToSlash(relative), path, mode})
		return nil
	})
	return files, err
}

// created is a new file of the release. A name that another step has taken is refused.
func created(address string) (*os.File, error) {
	return os.OpenFile(address, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// gzipped writes a compressed file that says no name and no time.
func gzipped(address string, text []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(address), 0o755); err != nil {
		return err
	}
	out, err := created(address)
	if err != nil {
		return err
	}
	defer closing(out, &err)
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	defer closing(compressed, &err)
	_, err = compressed.Write(text)
	return err
}

// tarred writes files into an archive, all of one time and one owner.
func tarred(address string, files []archiveFile, since time.Time) (err error) {
	out, err := created(address)
	if err != nil {
		return err
	}
	defer closing(out, &err)
	return tarredInto(out, files, since)
}

func tarredInto(target io.Writer, files []archiveFile, since time.Time) (err error) {
	compressed, err := gzip.NewWriterLevel(target, gzip.BestCompression)
	if err != nil {
		return err
	}
	defer closing(compressed, &err)
	archive := tar.NewWriter(compressed)
	defer closing(archive, &err)
	for _, file := range files {
		text, err := os.ReadFile(file.from)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: file.name, Mode: int64(file.mode), Size: int64(len(text)), ModTime: since, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(text); err != nil {
			return err
		}
	}
	return nil
}

func zipped(address string, files []archiveFile, since time.Time) (err error) {
	out, err := created(address)
	if err != nil {
		return err
	}
	defer closing(out, &err)
	archive := zip.NewWriter(out)
	defer closing(archive, &err)
	for _, file := range files {
		text, err := os.ReadFile(file.from)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: since}
		header.SetMode(file.mode)
		into, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := into.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// closing closes what a function has written, and is its error if there is no other.
func closing(c io.Closer, err *error) {
	if closed := c.Close(); *err == nil {
		*err = closed
	}
}
