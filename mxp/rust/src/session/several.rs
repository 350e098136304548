//! Chunks and events that a user has many of at once.

use crate::frame::Flags;
use crate::session::exchange::Exchange;
use crate::session::records::{Room, Values};
use crate::session::request::{FullPolicy, Request};
use crate::session::{Kind, Session, BATCHED_BYTES};

impl Session {
    /// Sends values as parts of a stream, as [`Session::chunk`] does one after the other, until one
    /// is refused, with [`Kind::StreamWindow`] where it has more than so many bytes. Values that
    /// are left in the end were not sent.
    pub(crate) fn chunks(
        &mut self,
        id: u64,
        values: &mut Values<'_>,
        longest: u64,
        now: u64,
    ) -> Result<(), Kind> {
        while values.len() > 0 {
            if self.join_chunks(id, values, longest) {
                continue;
            }
            let before = values.clone();
            let Some(value) = values.next() else {
                break;
            };
            if value.len() as u64 > longest {
                *values = before;
                return Err(Kind::StreamWindow);
            }
            let sent = self.chunk_of(id, false, false, &mut value.into(), now);
            sent.inspect_err(|_| *values = before)?;
        }
        Ok(())
    }

    /// Sends as many values as join the batch that was made last. Returns whether there are any.
    fn join_chunks(&mut self, id: u64, values: &mut Values<'_>, longest: u64) -> bool {
        let Some(payload) = self.queue.chunks_room(id, self.peer_bytes) else {
            return false;
        };
        let begun = self.most_queued(true).saturating_sub(self.queue.bytes());
        if self.usable().is_err() {
            return false;
        }
        let stream = self.table(id).get(id).and_then(Exchange::stream);
        let Some(out) = stream.map(|stream| &mut stream.out) else {
            return false;
        };
        let room = Room {
            values: out.messages,
            bytes: out.bytes,
            longest: (BATCHED_BYTES as u64).min(longest),
            payload,
            begun,
        };
        if out.has_ended {
            return false;
        }
        let records = values.take_front(room);
        if records.is_empty() {
            return false;
        }
        out.count(records.len() as u64, records.bytes() as u64, Flags::NONE);
        self.queue.join_all(records);
        true
    }

    /// Tells the peer values that require no acknowledgement, as [`Session::event`] does one after
    /// the other, until one is refused. Values that are left in the end were not queued.
    pub(crate) fn events(
        &mut self,
        request: &Request<'_>,
        on_full: FullPolicy,
        values: &mut Values<'_>,
        now: u64,
    ) -> Result<(), Kind> {
        let mut last = None;
        while values.len() > 0 {
            if last.is_some_and(|id| self.join_events(id, values)) {
                continue;
            }
            let before = values.clone();
            let Some(value) = values.next() else {
                break;
            };
            let told = self.event(request, false, on_full, value, now);
            last = told.inspect_err(|_| *values = before)?;
        }
        Ok(())
    }

    /// Tells as many values as join the batch that was made last, if that has this id: all that
    /// one request's have. Returns whether there are any.
    fn join_events(&mut self, id: u64, values: &mut Values<'_>) -> bool {
        let Some(payload) = self.queue.events_room(id, self.peer_bytes) else {
            return false;
        };
        let records = values.take_front(Room {
            values: u64::MAX,
            bytes: u64::MAX,
            longest: BATCHED_BYTES as u64,
            payload,
            begun: self.most_queued(false).saturating_sub(self.queue.bytes()),
        });
        if records.is_empty() {
            return false;
        }
        self.queue.join_all(records);
        true
    }
}

#[cfg(all(test, feature = "tokio"))]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::session::records::Records;
    use crate::session::{Config, Grant, Limits, Role};

    /// Two sessions that are ready, the first with little room in its queue.
    fn pair(batches: bool) -> (Session, Session) {
        let limits = Limits {
            bulk_bytes: 3_000,
            ..Limits::default()
        };
        let config = Config::default().with_limits(limits);
        let config = if batches {
            config.with_batches()
        } else {
            config
        };
        let mut here = Session::new(config, Role::Opener, 0).unwrap();
        let config = Config::default().with_service("t.T").with_batches();
        let mut there = Session::new(config, Role::Acceptor, 0).unwrap();
        for _ in 0..2 {
            pass(&mut here, &mut there);
            pass(&mut there, &mut here);
        }
        assert!(here.ready() && there.ready());
        (here, there)
    }

    /// Gives one session what another has to send, and returns the bytes.
    fn pass(sender: &mut Session, receiver: &mut Session) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(out) = sender.poll_frame(1) {
            all.extend(out.to_vec());
        }
        let mut left = &all[..];
        while receiver.receive(&mut left, 1).is_some() {}
        assert!(left.is_empty());
        all
    }

    /// Values of all lengths near the bounds, and the same values as records.
    fn values(seed: u64, count: usize) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut state = seed;
        let mut all = Vec::new();
        let mut data = Vec::new();
        for _ in 0..count {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let most = [2, 70, 900, BATCHED_BYTES as u64 + 3][(state >> 60) as usize % 4];
            let n = (state >> 33) % most;
            let value = alloc::vec![state.to_le_bytes()[3]; usize::try_from(n).unwrap()];
            data.extend(u16::try_from(n).unwrap().to_le_bytes());
            data.extend(&value);
            all.push(value);
        }
        (all, data)
    }

    /// Values that are sent at once are to the byte sent as one by one, and as many are refused,
    /// for the same reason.
    #[test]
    fn many_at_once_are_as_one_by_one() {
        for seed in 0..60 {
            let (all, data) = values(seed, 40);
            let grant = Grant {
                messages: 25 + 5 * u32::try_from(seed % 5).unwrap(),
                bytes: 2_000 + 400 * seed,
            };
            let outcome = |at_once: bool, is_event: bool| {
                let (mut here, mut there) = pair(seed % 3 > 0);
                let request = Request::new(0, 1);
                let id = here.open(&request, grant, false, &[], 1).unwrap();
                pass(&mut here, &mut there);
                there.grant(id, grant, 1).unwrap();
                pass(&mut there, &mut here);
                let mut left = Records::of(all.len(), &data).iter();
                let mut told = Vec::new();
                loop {
                    let result = if at_once && is_event {
                        here.events(&request, FullPolicy::Refuse, &mut left, 1)
                    } else if at_once {
                        here.chunks(id, &mut left, u64::MAX, 1)
                    } else {
                        one_by_one(&mut here, &request, id, &mut left, is_event)
                    };
                    told.push((left.len(), result, pass(&mut here, &mut there)));
                    if result != Err(Kind::LimitQueueBytes) {
                        return told;
                    }
                }
            };
            for is_event in [false, true] {
                let (first, second) = (outcome(true, is_event), outcome(false, is_event));
                assert_eq!(first, second, "{seed} {is_event}");
            }
        }
    }

    fn one_by_one(
        here: &mut Session,
        request: &Request<'_>,
        id: u64,
        rest: &mut Values<'_>,
        is_event: bool,
    ) -> Result<(), Kind> {
        loop {
            let before = rest.clone();
            let Some(value) = rest.next() else {
                return Ok(());
            };
            let sent = if is_event {
                here.event(request, false, FullPolicy::Refuse, value, 1)
                    .map(|_| ())
            } else {
                here.chunk(id, false, false, value, 1).map(|_| ())
            };
            sent.inspect_err(|_| *rest = before)?;
        }
    }
}
