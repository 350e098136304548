//! The rules for frames of each type [MXP-5.3, MXP-5.6].

use crate::frame::{Flags, Header, Type};
use crate::session::{Kind, Role, Session, CONTROL_BYTES};

/// Which ids a frame can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Id {
    Zero,
    New,
    OfSender,
    OfReceiver,
    OfReceiverOrZero,
    OfEither,
}

/// The rule for frames of a type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) id: Id,
    flags: Flags,
    /// Whether the payload is the protocol's own.
    pub(crate) is_own: bool,
}

/// The row of a type.
pub(crate) const fn rule(frame_type: Type) -> Rule {
    let (id, flags, is_own) = match frame_type {
        Type::Hello | Type::Drain => (Id::Zero, 0, true),
        Type::Call => (Id::New, 0, false),
        Type::Event => (Id::New, 4, false),
        Type::StreamOpen => (Id::New, 8, false),
        Type::AgentRegister | Type::AgentDiscover | Type::AgentHeartbeat | Type::Ping => {
            (Id::New, 0, true)
        }
        Type::Pong => (Id::OfReceiver, 0, true),
        Type::Response => (Id::OfReceiver, 0, false),
        Type::Error => (Id::OfReceiverOrZero, 0, true),
        Type::Cancel => (Id::OfSender, 0, true),
        Type::StreamChunk => (Id::OfEither, 12, false),
        Type::StreamClose | Type::Credit | Type::Ack => (Id::OfEither, 0, true),
    };
    let flags = match Flags::from_bits(flags) {
        Some(flags) => flags,
        None => Flags::NONE,
    };
    Rule { id, flags, is_own }
}

/// Whether a frame of this type may begin an exchange.
pub(crate) const fn begins_exchange(frame_type: Type) -> bool {
    matches!(rule(frame_type).id, Id::New)
}

impl Session {
    /// Makes the checks of a frame that need no look at its payload, but for those
    /// of Hello.
    pub(crate) fn check(&mut self, header: &Header, payload_bytes: usize) -> Result<(), Kind> {
        let rule = rule(header.frame_type);
        if !rule.flags.contains(header.flags) {
            return Err(Kind::Flags);
        }
        if rule.is_own && payload_bytes > CONTROL_BYTES {
            return Err(Kind::LimitControlBytes);
        }
        let id = header.message_id;
        let fits = match rule.id {
            Id::Zero => id == 0,
            Id::New => !self.is_mine(id) && id > self.last_id,
            Id::OfSender => self.is_theirs_given(id),
            Id::OfReceiver => self.is_mine_given(id),
            Id::OfReceiverOrZero => id == 0 || self.is_mine_given(id),
            Id::OfEither => self.is_mine_given(id) || self.is_theirs_given(id),
        };
        if !fits {
            return Err(Kind::Id);
        }
        if rule.id == Id::New {
            self.last_id = id;
        }
        Ok(())
    }

    /// Whether ids of this parity are given out here. 0 is the acceptor's by that,
    /// and given out by nobody.
    pub(crate) const fn is_mine(&self, id: u64) -> bool {
        match self.role {
            Role::Opener => id % 2 == 1,
            Role::Acceptor => id % 2 == 0,
        }
    }

    const fn is_mine_given(&self, id: u64) -> bool {
        id != 0 && self.is_mine(id) && id < self.next_id
    }

    const fn is_theirs_given(&self, id: u64) -> bool {
        id != 0 && !self.is_mine(id) && id <= self.last_id
    }
}
