"""Pages that show results, and the sections of each that are stamped."""

from summary import misses, ratios
from tables import markdown, stamped

PAGES = {
    "docs/guide/tables-calls.md": {"rpc": markdown},
    "docs/performance.md": {"rpc-ratios": ratios, "rpc-missed": misses},
}


def stamped_page(text, name, files):
    """Give a page's text with what results come to."""
    for section, table in PAGES[name].items():
        text = stamped(text, section, table(files))
    return text


def stamp_pages(root, files):
    """Write results into every page that shows them."""
    for name in PAGES:
        page = root / name
        page.write_text(stamped_page(page.read_text("utf-8"), name, files), "utf-8")
