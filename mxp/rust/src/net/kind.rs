//! The kinds of methods.

/// The kind of request that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// A call.
    Call,
    /// A stream.
    Stream,
    /// An event.
    Event,
}

impl MethodKind {
    /// The word that schemas have for it.
    #[cfg(feature = "tokio")]
    pub(crate) const fn keyword(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Stream => "stream",
            Self::Event => "event",
        }
    }
}
