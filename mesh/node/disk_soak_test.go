//go:build soak && linux

package node_test

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// traced are the system calls that change files, or ask that changes are on disk.
const traced = "openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,rename,renameat,renameat2," +
	"unlink,unlinkat,rmdir,mkdir,mkdirat,truncate,ftruncate,fallocate,copy_file_range,sendfile,lseek,link,linkat,symlink,symlinkat"

// tracer runs a program under strace, with a file for each thread.
func tracer(prefix string) []string {
	return []string{"strace", "-ff", "-o", prefix, "--seccomp-bpf", "-y", "-xx", "-s", "4000000", "--absolute-timestamps=format:unix,precision:ns",
		"--syscall-times=ns", "-e", "trace=" + traced, "-e", "signal=none"}
}

// called is a system call that succeeded. Times are nanoseconds.
type called struct {
	begun, ended int64
	name         string
	arguments    []string
	result       string
}

// calls are the calls of a program in the order in which they began.
func calls(t *testing.T, prefix string) (all []called) {
	t.Helper()
	files, err := filepath.Glob(prefix + ".*")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no trace", err)
	}
	for _, one := range files {
		text, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if c, ok := parsed(line); ok {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b called) int { return cmp.Compare(a.begun, b.begun) })
	return all
}

func parsed(line string) (c called, ok bool) {
	at, rest, _ := strings.Cut(line, " ")
	open, result := strings.IndexByte(rest, '('), strings.LastIndex(rest, ") = ")
	if open < 0 || result < 0 { // it has not returned, or is no call
		return c, false
	}
	c.name, c.arguments, c.result = rest[:open], strings.Split(rest[open+1:result], ", "), rest[result+len(") = "):]
	took := strings.LastIndexByte(c.result, '<')
	if took < 0 || c.result[0] == '-' {
		return c, false
	}
	c.begun = nanoseconds(at)
	c.ended = c.begun + nanoseconds(strings.Trim(c.result[took:], "<>\n"))
	c.result = strings.TrimSpace(c.result[:took])
	return c, true
}

func nanoseconds(text string) int64 {
	whole, part, _ := strings.Cut(text, ".")
	seconds, _ := strconv.ParseInt(whole, 10, 64)
	rest, _ := strconv.ParseInt(part, 10, 64)
	return seconds*1e9 + rest
}

// unquoted are the bytes of "\x41…".
func unquoted(text string) []byte {
	value, _ := hex.DecodeString(strings.ReplaceAll(strings.Trim(text, `"`), `\x`, ""))
	return value
}

// opened is the number and the path of 7<\x2f…>.
func opened(text string) (number, path string) {
	number, rest, _ := strings.Cut(text, "<")
	return number, string(unquoted(strings.TrimSuffix(rest, ">")))
}

// within is the path of two arguments: a folder that is open, and a path in it.
func within(folder, path string) string {
	if p := string(unquoted(path)); filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	_, base := opened(folder)
	return filepath.Join(base, string(unquoted(path)))
}

// change is a write, or a truncation to offset.
type change struct {
	ended    int64
	offset   int
	data     []byte
	truncate bool
}

func (c change) apply(to []byte) []byte {
	end := c.offset + len(c.data)
	if len(to) < end {
		to = append(to, make([]byte, end-len(to))...)
	}
	if c.truncate {
		return to[:c.offset]
	}
	copy(to[c.offset:], c.data)
	return to
}

// inode is a file or a folder: as programs see it, as it is on disk for sure, and the changes between.
type inode struct {
	folder        bool
	seen, written []byte
	pending       []change
}

// entry is a change of names or sizes, which the journal of a file system has in order.
type entry struct {
	ended int64
	apply func(names map[string]*inode)
}

// disk is a folder as a file system has it that writes as little as it may: the data of a file when it
// is synced, and names and sizes, in order, when any file is, as ext4 does.
type disk struct {
	root        string
	seen, names map[string]*inode
	journal     []entry
	positions   map[string]int  // of open files
	synced      map[string]bool // open files whose writes return when they are on disk
}

// replay is the disk at a moment.
func replay(t *testing.T, root string, all []called, until int64) *disk {
	t.Helper()
	top := &inode{folder: true}
	d := &disk{root: root, seen: map[string]*inode{root: top}, names: map[string]*inode{root: top}, positions: map[string]int{}, synced: map[string]bool{}}
	for _, c := range all {
		if c.ended > until {
			continue
		}
		if err := d.call(c); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	return d
}

func (d *disk) ours(path string) bool { return path == d.root || strings.HasPrefix(path, d.root+"/") }

func (d *disk) note(ended int64, apply func(names map[string]*inode)) {
	apply(d.seen)
	d.journal = append(d.journal, entry{ended, apply})
}

func (d *disk) call(c called) error {
	number, path := opened(c.arguments[0])
	switch c.name {
	case "mkdirat":
		if path = within(c.arguments[0], c.arguments[1]); d.ours(path) {
			made := &inode{folder: true}
			d.note(c.ended, func(names map[string]*inode) { names[path] = made })
		}
	case "unlinkat":
		if path = within(c.arguments[0], c.arguments[1]); d.ours(path) {
			d.note(c.ended, func(names map[string]*inode) { delete(names, path) })
		}
	case "renameat", "renameat2":
		from, to := within(c.arguments[0], c.arguments[1]), within(c.arguments[2], c.arguments[3])
		if d.ours(from) {
			d.note(c.ended, func(names map[string]*inode) { rename(names, from, to) })
		}
	case "openat":
		number, path = opened(c.result)
		if d.ours(path) {
			d.open(c, number, path)
		}
	case "lseek":
		if d.ours(path) {
			d.positions[number], _ = strconv.Atoi(c.result)
		}
	case "write", "pwrite64", "ftruncate", "fsync", "fdatasync":
		if node := d.seen[path]; node != nil { // else it is no file, or has been removed
			d.change(c, number, node)
		}
	default:
		if d.ours(path) || strings.Contains(c.name, "link") {
			return fmt.Errorf("a call on %s that this test has no model of", path)
		}
	}
	return nil
}

func rename(names map[string]*inode, from, to string) {
	for path, node := range maps.Clone(names) {
		if path == from || strings.HasPrefix(path, from+"/") {
			delete(names, path)
			names[to+path[len(from):]] = node
		}
	}
}

func (d *disk) open(c called, number, path string) {
	flags := c.arguments[2]
	node := d.seen[path]
	if node == nil {
		node = &inode{folder: strings.Contains(flags, "O_DIRECTORY")}
		made := node
		d.note(c.ended, func(names map[string]*inode) { names[path] = made })
	}
	d.positions[number], d.synced[number] = 0, strings.Contains(flags, "SYNC")
	if strings.Contains(flags, "O_TRUNC") {
		d.truncate(node, c.ended, 0)
	}
	if strings.Contains(flags, "O_APPEND") {
		d.positions[number] = len(node.seen)
	}
}

func (d *disk) change(c called, number string, node *inode) {
	switch c.name {
	case "write", "pwrite64":
		data := unquoted(c.arguments[1])
		written, _ := strconv.Atoi(c.result)
		offset := d.positions[number]
		if c.name == "pwrite64" {
			offset, _ = strconv.Atoi(c.arguments[3])
		} else {
			d.positions[number] += written
		}
		made := change{ended: c.ended, offset: offset, data: data[:written]}
		node.seen, node.pending = made.apply(node.seen), append(node.pending, made)
		if d.synced[number] {
			d.sync(node, c.ended)
		}
	case "ftruncate":
		size, _ := strconv.Atoi(c.arguments[1])
		d.truncate(node, c.ended, size)
	default:
		d.sync(node, c.begun)
	}
}

// truncate sets a size, which is a change of the journal's, and ends what was not written beyond.
func (d *disk) truncate(node *inode, ended int64, size int) {
	cut := change{ended: ended, offset: size, truncate: true}
	node.seen = cut.apply(node.seen)
	before := len(node.pending)
	node.pending = append(node.pending, cut)
	d.journal = append(d.journal, entry{ended, func(map[string]*inode) {
		for i, one := range node.pending {
			if i < before && !one.truncate && one.offset+len(one.data) > size {
				node.pending[i].data = one.data[:max(0, size-one.offset)]
			}
		}
		node.written = cut.apply(node.written)
	}})
}

// sync puts the changes of a file, and of the journal, that were made before a moment on disk.
func (d *disk) sync(node *inode, begun int64) {
	d.commit(func(e entry) bool { return e.ended <= begun })
	var later []change
	for _, one := range node.pending {
		if one.ended <= begun {
			node.written = one.apply(node.written)
		} else {
			later = append(later, one)
		}
	}
	node.pending = later
}

// commit puts the journal on disk as long as entries are to be there.
func (d *disk) commit(is func(entry) bool) {
	for len(d.journal) > 0 && is(d.journal[0]) {
		d.journal[0].apply(d.names)
		d.journal = d.journal[1:]
	}
}

// tear puts some of the changes on disk that nobody has synced, as a system does when it likes.
func (d *disk) tear(random *rand.Rand) {
	d.commit(func(entry) bool { return random.IntN(4) > 0 })
	for _, path := range slices.Sorted(maps.Keys(d.names)) {
		node := d.names[path]
		for _, one := range node.pending {
			if random.IntN(2) == 0 {
				node.written = one.apply(node.written)
			}
		}
		node.pending = nil
	}
}

// write makes a folder of the content on disk.
func (d *disk) write(t *testing.T, folder string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(d.names)) {
		to, node := filepath.Join(folder, strings.TrimPrefix(path, d.root)), d.names[path]
		var err error
		if node.folder {
			err = os.MkdirAll(to, 0o700)
		} else {
			err = os.WriteFile(to, node.written, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// check compares what programs saw with the folder that is there: the model is right.
func (d *disk) check(t *testing.T) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if node := d.seen[path]; err == nil && (node == nil || !bytes.Equal(node.seen, text)) {
			err = fmt.Errorf("%s is not as it was traced", path)
		}
		files++
		return err
	})
	for path, node := range d.seen {
		if _, missing := os.Stat(path); missing != nil && err == nil && !node.folder {
			err = fmt.Errorf("%s was traced, and is not there", path)
		}
	}
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}
}
