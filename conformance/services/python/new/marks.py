"""The mark of entries, which is their note."""

MARKS = ("seven", "none")


def mark(entry):
    """The entry with its mark."""
    return entry.replace(note="seven")


def marked(entry):
    """The mark of an entry."""
    return entry.note
