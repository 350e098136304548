//! The memory that connections may hold [MXP-15].

/// The bytes that each thing that a connection holds counts as beside its own [MXP-15.2].
pub(crate) const ITEM_BYTES: usize = 64;
