use std::fmt;

/// Why schemas were not compiled. It is a text for people, the compiler's own diagnostics among it.
pub struct Error {
    text: String,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A build script whose `main` returns an error shows it in this form, so that it is that of [`Display`](fmt::Display).
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
