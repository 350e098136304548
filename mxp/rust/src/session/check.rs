//! The rules for frames of each type [MXP-5.3, MXP-5.6].

use crate::frame::{Header, Type};
use crate::session::rules_gen::{rule, state, IdRule};
use crate::session::state::Phase;
use crate::session::{Kind, Role, Session, BATCH_BYTES, CONTROL_BYTES};

/// Whether a frame of this type may begin an exchange.
pub(crate) const fn begins_exchange(frame_type: Type) -> bool {
    matches!(rule(frame_type).id, IdRule::New)
}

impl Session {
    /// Makes the checks of a frame that need no look at its payload.
    pub(crate) fn check(&mut self, header: &Header, payload_bytes: usize) -> Result<(), Kind> {
        let rule = rule(header.frame_type);
        if !self.is_expected(header, rule.states) {
            return Err(Kind::Hello);
        }
        if rule.is_batch && !self.batches {
            return Err(Kind::Batch);
        }
        if !rule.flags.contains(header.flags) {
            return Err(Kind::Flags);
        }
        if rule.is_own && payload_bytes > CONTROL_BYTES {
            return Err(Kind::LimitControlBytes);
        }
        if rule.is_batch && payload_bytes > BATCH_BYTES {
            return Err(Kind::LimitBatchBytes);
        }
        let id = header.message_id;
        let fits = match rule.id {
            IdRule::Zero => id == 0,
            IdRule::New => !self.is_mine(id) && id > self.last_id,
            IdRule::OfSender => self.is_theirs_given(id),
            IdRule::OfReceiver => self.is_mine_given(id),
            IdRule::OfReceiverOrZero => id == 0 || self.is_mine_given(id),
            IdRule::OfEither => self.is_mine_given(id) || self.is_theirs_given(id),
        };
        if !fits {
            return Err(Kind::Id);
        }
        if rule.id == IdRule::New {
            self.last_id = id;
        }
        Ok(())
    }

    /// Whether a frame that comes in some states may come now [MXP-6.2]. While Layouts are
    /// awaited, an Error is about the session.
    fn is_expected(&self, header: &Header, states: u8) -> bool {
        let state = match self.phase {
            Phase::Greeting => state::GREETING,
            Phase::Comparing(_) if header.frame_type == Type::Error && header.message_id != 0 => 0,
            Phase::Comparing(_) => state::COMPARING,
            _ => state::READY,
        };
        states & state != 0
    }

    /// Whether ids of this parity are given out here. 0 is the acceptor's by that,
    /// and given out by nobody.
    pub(crate) const fn is_mine(&self, id: u64) -> bool {
        match self.role {
            Role::Opener => id % 2 == 1,
            Role::Acceptor => id % 2 == 0,
        }
    }

    /// Whether the peer may know of an exchange.
    pub(crate) const fn is_sent(&self, id: u64) -> bool {
        !self.is_mine(id) || id <= self.last_sent
    }

    const fn is_mine_given(&self, id: u64) -> bool {
        id != 0 && self.is_mine(id) && id < self.next_id
    }

    const fn is_theirs_given(&self, id: u64) -> bool {
        id != 0 && !self.is_mine(id) && id <= self.last_id
    }
}
