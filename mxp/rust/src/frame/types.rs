//! The type of a frame.

use core::fmt;

use crate::frame::header::TYPE_AT;
use crate::frame::{Error, Kind};

/// The type of a frame [MXP-1.3].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Type {
    /// An agent makes itself known.
    AgentRegister = 0x01,
    /// Asks which agents there are.
    AgentDiscover = 0x02,
    /// An agent is alive.
    AgentHeartbeat = 0x03,
    /// Asks for something that a response answers.
    Call = 0x10,
    /// Answers a call.
    Response = 0x11,
    /// Tells something that nobody answers.
    Event = 0x12,
    /// Opens a stream.
    StreamOpen = 0x20,
    /// A part of a stream.
    StreamChunk = 0x21,
    /// Closes a stream.
    StreamClose = 0x22,
    /// Opens a session.
    Hello = 0x80,
    /// Gives up a call or a stream.
    Cancel = 0x81,
    /// Allows the peer to send more.
    Credit = 0x82,
    /// Announces the end of a session.
    Drain = 0x83,
    /// Asks for a pong.
    Ping = 0x84,
    /// Answers a ping.
    Pong = 0x85,
    /// A frame that required it has arrived.
    Ack = 0xf0,
    /// Reports what went wrong.
    Error = 0xf1,
}

impl Type {
    /// All types, by number.
    pub const ALL: [Self; 17] = [
        Self::AgentRegister,
        Self::AgentDiscover,
        Self::AgentHeartbeat,
        Self::Call,
        Self::Response,
        Self::Event,
        Self::StreamOpen,
        Self::StreamChunk,
        Self::StreamClose,
        Self::Hello,
        Self::Cancel,
        Self::Credit,
        Self::Drain,
        Self::Ping,
        Self::Pong,
        Self::Ack,
        Self::Error,
    ];

    /// The type that has this number.
    #[must_use]
    #[inline]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0x01 => Self::AgentRegister,
            0x02 => Self::AgentDiscover,
            0x03 => Self::AgentHeartbeat,
            0x10 => Self::Call,
            0x11 => Self::Response,
            0x12 => Self::Event,
            0x20 => Self::StreamOpen,
            0x21 => Self::StreamChunk,
            0x22 => Self::StreamClose,
            0x80 => Self::Hello,
            0x81 => Self::Cancel,
            0x82 => Self::Credit,
            0x83 => Self::Drain,
            0x84 => Self::Ping,
            0x85 => Self::Pong,
            0xf0 => Self::Ack,
            0xf1 => Self::Error,
            _ => return None,
        })
    }

    /// The type's number.
    #[must_use]
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The type's name, for instance `StreamOpen`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentRegister => "AgentRegister",
            Self::AgentDiscover => "AgentDiscover",
            Self::AgentHeartbeat => "AgentHeartbeat",
            Self::Call => "Call",
            Self::Response => "Response",
            Self::Event => "Event",
            Self::StreamOpen => "StreamOpen",
            Self::StreamChunk => "StreamChunk",
            Self::StreamClose => "StreamClose",
            Self::Hello => "Hello",
            Self::Cancel => "Cancel",
            Self::Credit => "Credit",
            Self::Drain => "Drain",
            Self::Ping => "Ping",
            Self::Pong => "Pong",
            Self::Ack => "Ack",
            Self::Error => "Error",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A number that is not assigned is refused as it is when decoding [MXP-2.1].
impl TryFrom<u8> for Type {
    type Error = Error;

    fn try_from(number: u8) -> Result<Self, Error> {
        Self::from_number(number).ok_or(Error::at(Kind::Type, TYPE_AT))
    }
}
