//! Signals, which Windows has not: it runs handlers of Ctrl-C on a thread of their own.

/// Does something.
pub(crate) fn without<T>(begin: impl FnOnce() -> T) -> T {
    begin()
}
