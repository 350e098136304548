"""Flame graphs: what `perf script` prints, as an SVG that is small enough to keep.

    perf record -F 999 --call-graph dwarf,16384 -o perf.data PROGRAM...
    perf script -i perf.data | python3 bench/rpc/runner/flame.py TITLE > docs/guide/NAME.svg

Frames that are narrower than a 400th of the whole can't be seen and are left out.
"""

import re
import sys
from html import escape

WIDTH, ROW, HEAD = 1000, 16, 28

# Of the whole: what is narrower is left out.
NARROW = 1 / 400

# Frames that are around everything, and the kernel's around each of its calls.
PLUMBING = re.compile(
    r"^(\[unknown\]|_start|__libc_start.*|__GI_.*|start_thread|clone3?|main|std::rt::.*|std::sys::.*|std::thread::.*|std::panic.*"
    r"|<?core::ops::function::.*|<.* as core::ops::function::.*|__rust_.*|runtime\.(goexit|main)\S*|main\.\w+|go/measure\..*|bench/go\..*|rpcbench::(main|run|peers::call|peers::on_one_thread)"
    r"|<?tokio::runtime::(runtime|context|task|scheduler::current_thread::(CurrentThread|Context::(run_task|park_internal)|shutdown)).*|<?tokio::task::local.*"
    r"|<(tracing::instrument::Instrumented|core::future::poll_fn::PollFn|core::pin::Pin) as .*|entry_SYSCALL.*|do_syscall_64|x64_sys_call)$"
)

# A call of the kernel, within which nobody wants to look.
SYSTEM = re.compile(r"^(?:__x64_sys_|(?=exit_to_user))(\w+)$")


def stacks(lines):
    """Give each sample's frames, outermost first."""
    frames = None
    for line in lines:
        line = line.rstrip()
        if not line:
            if frames:
                yield frames[::-1]
            frames = None
        elif not line[0].isspace():
            frames = []
        elif frames is not None:
            frames.append(name(line.split(None, 1)[1] if " " in line.strip() else line))
    if frames:
        yield frames[::-1]


def name(text):
    """Give a function's name as people say it."""
    text = re.sub(r"\s+\([^()]*\)$", "", text)
    text = re.sub(r"\+0x[0-9a-f]+$", "", text)
    text = re.sub(r"::h[0-9a-f]{16}$", "", text)
    # Type arguments fill a line and say little, as do the first folders of Go's packages.
    text = re.sub(r"(?:[\w.-]+/)+([\w-]+/)", r"\1", text)
    while (shorter := re.sub(r"\[[^][]*\]", "", text)) != text and not text.startswith("["):
        text = shorter
    while (shorter := re.sub(r"(?<=[\w:])<[^<>]*>", "", text)) != text:
        text = shorter
    return text.replace("::::", "::").removesuffix("::")


def tree(samples):
    """Give the samples as nested frames: a count, and what is above it."""
    root = [0, {}]
    for frames in samples:
        node = root
        node[0] += 1
        for frame in frames:
            if PLUMBING.match(frame):
                continue
            system = SYSTEM.match(frame)
            node = node[1].setdefault(f"kernel: {system[1]}" if system else frame, [0, {}])
            node[0] += 1
            if system:
                break
    return root


def svg(title, root):
    """Draw frames: their width is their share of the time, what they call is above them."""
    total = max(root[0], 1)
    boxes = []
    depth = _place(root, 0, 0, total, boxes)
    height = HEAD + (depth + 1) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/><text x="6" y="18" font-size="13">{escape(title)}</text>',
    ]
    for frame, count, start, level in boxes:
        x, width, y = start / total * WIDTH, count / total * WIDTH, height - (level + 1) * ROW
        share = f"{100 * count / total:.1f} %"
        shown = _fitting(frame, width)
        text = f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(shown)}</text>' if shown else ""
        parts.append(
            f'<g><title>{escape(frame)} {share}</title><rect x="{x:.1f}" y="{y}" width="{max(width - 0.5, 0.5):.1f}" height="{ROW - 1}" fill="{_colour(frame)}"/>{text}</g>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _place(node, start, level, total, boxes):
    deepest = level
    for frame, child in sorted(node[1].items()):
        if child[0] / total >= NARROW:
            boxes.append((frame, child[0], start, level))
            deepest = max(deepest, _place(child, start, level + 1, total, boxes))
        start += child[0]
    return deepest


def _fitting(frame, width):
    letters = int((width - 4) / 6.7)
    if letters < 4:
        return ""
    return frame if len(frame) <= letters else frame[: letters - 1] + "…"


def _colour(frame):
    """The same frame has the same colour in every graph; ours are blue."""
    is_ours = re.search(r"\bmxp::|\bsdp::|runtime/go\.|gen/plugins\.", frame)
    shade = sum(frame.encode()) % 30
    return f"hsl({210 if is_ours else 35},{70 if is_ours else 60}%,{62 + shade // 2}%)"


def main():
    """Draw what is read."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = tree(stacks(sys.stdin))
    if not root[0]:
        sys.exit("flame.py: there are no samples")
    sys.stdout.write(svg(sys.argv[1], root))


if __name__ == "__main__":
    main()
