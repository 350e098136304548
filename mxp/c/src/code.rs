//! The codes of functions.

use mxp::net::Failure;
use mxp::session::Status;

/// The answer of a function: zero, or the reason why it has done nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// Done, or begun.
    Ok = 0,
    /// A stream takes no chunk before it has credit.
    WouldBlock = 1,
    /// A pointer is null that may not be.
    NullPointer = 2,
    /// The size of a struct is impossible.
    BadSize = 3,
    /// A text is no UTF-8.
    BadText = 4,
    /// A number or a flag is out of range.
    BadValue = 5,
    /// A tag is zero, or is in use.
    BadTag = 6,
    /// Nothing has this id.
    UnknownId = 7,
    /// The object does not do this, or not now.
    BadState = 8,
    /// The core is closed, or closes.
    CoreClosed = 9,
    /// The core was made by a process of which this is a fork.
    CoreForked = 10,
    /// A thing was not made; the failure says why.
    Refused = 11,
    /// A defect of the library.
    Internal = 12,
}

impl Code {
    /// All codes, by number.
    pub const ALL: [Self; 13] = [
        Self::Ok,
        Self::WouldBlock,
        Self::NullPointer,
        Self::BadSize,
        Self::BadText,
        Self::BadValue,
        Self::BadTag,
        Self::UnknownId,
        Self::BadState,
        Self::CoreClosed,
        Self::CoreForked,
        Self::Refused,
        Self::Internal,
    ];

    /// The name, for programs and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::WouldBlock => "would_block",
            Self::NullPointer => "null_pointer",
            Self::BadSize => "bad_size",
            Self::BadText => "bad_text",
            Self::BadValue => "bad_value",
            Self::BadTag => "bad_tag",
            Self::UnknownId => "unknown_id",
            Self::BadState => "bad_state",
            Self::CoreClosed => "core_closed",
            Self::CoreForked => "core_forked",
            Self::Refused => "refused",
            Self::Internal => "internal",
        }
    }

    /// The failure with this name, on which nobody has acted.
    pub(crate) fn failure(self) -> Failure {
        let (status, text) = match self {
            Self::CoreClosed => (Status::UNAVAILABLE, "the core was closed"),
            Self::CoreForked => (
                Status::FAILED_PRECONDITION,
                "a fork makes a core of its own",
            ),
            Self::BadState => (Status::FAILED_PRECONDITION, "not in this state"),
            Self::Internal => (Status::INTERNAL, "a defect of the library"),
            _ => (Status::INVALID_ARGUMENT, ""),
        };
        Failure::new(status, self.name(), text).refused()
    }
}
