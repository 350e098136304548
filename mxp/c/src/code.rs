//! The codes of functions.

use mxp::net::Failure;
use mxp::session::Status;

/// Declares codes by number, with their names.
macro_rules! codes {
    ($($code:ident $name:literal)*) => {
        /// The answer of a function: zero, or the reason why it has done nothing.
        #[allow(missing_docs, reason = "the header has it")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Code { $($code),* }

        impl Code {
            /// All codes, by number.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// The name, for programs and messages.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$code => $name),* }
            }
        }
    };
}

codes! {
    Ok "ok"
    WouldBlock "would_block"
    NullPointer "null_pointer"
    BadSize "bad_size"
    BadText "bad_text"
    BadValue "bad_value"
    BadTag "bad_tag"
    UnknownId "unknown_id"
    BadState "bad_state"
    CoreClosed "core_closed"
    CoreForked "core_forked"
    Refused "refused"
    Internal "internal"
}

impl Code {
    /// The failure with this name, on which nobody has acted.
    pub(crate) fn failure(self) -> Failure {
        let (status, text) = match self {
            Self::CoreClosed => (Status::UNAVAILABLE, "the core was closed"),
            Self::CoreForked => {
                let text = "the core belongs to the parent of this process";
                (Status::FAILED_PRECONDITION, text)
            }
            Self::BadState => (Status::FAILED_PRECONDITION, "not in this state"),
            Self::Internal => (Status::INTERNAL, "a defect of the library"),
            _ => (Status::INVALID_ARGUMENT, ""),
        };
        Failure::new(status, self.name(), text).refused()
    }
}

impl From<Code> for Failure {
    fn from(code: Code) -> Self {
        code.failure()
    }
}
