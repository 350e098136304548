//! The difference of the releases: this one has no note.

use crate::generated::ledger::Entry;

/// The values of [`marked`].
pub(crate) const MARKS: [&str; 1] = ["-"];

/// Sets what only the newer release has.
pub(crate) fn mark(entry: Entry) -> Entry {
    entry
}

/// The mark of the newer release, which this one does not have.
pub(crate) fn marked(_: &Entry) -> &str {
    "-"
}
