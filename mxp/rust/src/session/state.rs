//! The state of a session, and its queries, which are allowed at any time.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::frame::{Checksum, DecodeOptions, Flags, FrameReader, Header, Type, PAYLOAD_BYTES};
use crate::session::check;
use crate::session::ending::{Ending, Note};
use crate::session::exchange::Table;
use crate::session::queue::{Class, Draft, Queue};
use crate::session::rules_gen::rule;
use crate::session::schema::{Differences, Meeting};
use crate::session::stats::Counters;
use crate::session::tally::Tally;
use crate::session::{
    Config, Kind, Limits, Outgoing, Role, Stats, Value, BATCHED_BYTES, CONTROL_BYTES,
};

/// How far a session has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The peer's Hello is awaited.
    Greeting,
    /// The peer's Layouts are awaited, since types are not compatible.
    Comparing(Meeting),
    Ready,
    /// The session has ended, and may have frames to say so.
    Ended,
    /// All was done that was to be done before a Drain [MXP-11.1].
    Drained,
}

/// The state of one end of a connection.
#[derive(Debug)]
pub struct Session {
    pub(crate) config: Config,
    pub(crate) role: Role,
    pub(crate) phase: Phase,
    pub(crate) reader: FrameReader,
    pub(crate) queue: Queue,
    /// The requests that were made here.
    pub(crate) here: Table,
    /// The requests of the peer.
    pub(crate) there: Table,
    /// The refusals that the peer has caused.
    pub(crate) tally: Tally,
    /// The next id that is given out here.
    pub(crate) next_id: u64,
    /// The last request of this side's that was sent: the peer may know of it, and of all earlier
    /// ones.
    pub(crate) last_sent: u64,
    /// The last id that the peer has given out.
    pub(crate) last_id: u64,
    /// The longest payload that the peer takes.
    pub(crate) peer_bytes: usize,
    /// Whether both sides take batches [MXP-17.2].
    pub(crate) batches: bool,
    /// Whether frames are written with their hash.
    pub(crate) checksum: Checksum,
    /// Whether a Drain was sent.
    pub(crate) drains: bool,
    /// Why one is to be sent as soon as the session is ready, and since when.
    pub(crate) leaving: Option<(Box<str>, u64)>,
    /// Whether the peer has sent a Drain.
    pub(crate) peer_drains: bool,
    /// The last of this side's requests that the peer has taken before its Drain.
    pub(crate) last_taken: u64,
    /// Since when nothing is left to do but to show life, once a Drain was made.
    pub(crate) rested: Option<u64>,
    /// The notes that the user is to be told before anything else.
    pub(crate) notes: VecDeque<Note>,
    /// Why the session ended.
    pub(crate) ending: Ending,
    /// When the session was made.
    pub(crate) made: u64,
    /// When the last byte came.
    pub(crate) heard: u64,
    /// When the frame began that has not ended.
    pub(crate) began: Option<u64>,
    /// When something was taken out of the queue, or put into an empty one.
    pub(crate) progress: u64,
    /// When something was last given out.
    pub(crate) given: u64,
    /// When the transport moved last [MXP-10.6].
    pub(crate) moved: u64,
    /// When another frame than Ping and Pong came or went.
    pub(crate) stirred: u64,
    /// Since when the user does not read, by his own choice.
    pub(crate) paused: Option<u64>,
    /// The bytes that the texts of the peer's Hello count as that are kept [MXP-15.1].
    pub(crate) texts: usize,
    /// The last Ping, when it was made, and whether a frame has come since.
    pub(crate) ping: Option<Ping>,
    pub(crate) counters: Counters,
    /// The length of the last payload that was refused as too large, and the longest allowed
    /// length.
    pub(crate) too_large: (usize, usize),
    /// The differences that keep methods from being used.
    pub(crate) differences: Differences,
    /// The names of the types of which fingerprints alone are compared.
    pub(crate) uncompared: Vec<String>,
    /// The payload of the peer's Hello, where the session was not ready at once.
    pub(crate) hello: Box<[u8]>,
}

/// A Ping that was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ping {
    pub(crate) id: u64,
    pub(crate) made: u64,
    /// Whether no whole frame has come since.
    pub(crate) is_open: bool,
    /// Whether its Pong has come.
    pub(crate) is_answered: bool,
}

impl Session {
    /// Makes a session, whose Hello waits to be sent.
    ///
    /// # Errors
    ///
    /// [`Kind::PayloadTooLarge`] if what is listed is too much for a Hello: 255
    /// bytes of a name, 255 fingerprints of a type, 1 MiB in all.
    pub fn new(config: Config, role: Role, now: u64) -> Result<Self, Kind> {
        let options = DecodeOptions::new(Checksum::On).with_limit(config.limits.payload_bytes);
        let mut session = Self {
            role,
            phase: Phase::Greeting,
            reader: FrameReader::new(options),
            queue: Queue::default(),
            here: Table::default(),
            there: Table::default(),
            tally: Tally::new(&config.limits, now),
            next_id: match role {
                Role::Opener => 1,
                Role::Acceptor => 2,
            },
            last_sent: 0,
            last_id: 0,
            peer_bytes: PAYLOAD_BYTES,
            batches: false,
            checksum: Checksum::On,
            drains: false,
            leaving: None,
            peer_drains: false,
            last_taken: u64::MAX,
            rested: None,
            notes: VecDeque::new(),
            ending: Ending::default(),
            made: now,
            heard: now,
            began: None,
            progress: now,
            given: now,
            moved: 0,
            stirred: now,
            paused: None,
            texts: 0,
            ping: None,
            counters: Counters::default(),
            too_large: (0, 0),
            differences: Differences::default(),
            uncompared: Vec::new(),
            hello: Box::default(),
            config,
        };
        session.greet(now)?;
        Ok(session)
    }

    /// Whether requests can be made.
    #[must_use]
    pub fn ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// Whether all is done, so that the connection is to be closed.
    #[must_use]
    pub fn finished(&self) -> bool {
        match self.phase {
            Phase::Ended => self.queue.is_empty(),
            Phase::Drained => true,
            _ => false,
        }
    }

    /// How many requests of the peer's have a place, and how many of this side's.
    #[must_use]
    pub fn in_flight(&self) -> (usize, usize) {
        (self.there.places(), self.here.places())
    }

    /// The limits that the session keeps to.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.config.limits
    }

    /// How many bytes the payload had that was refused last with
    /// [`Kind::PayloadTooLarge`], and how many it can have; 0 if a text or a list in it
    /// did not fit its length.
    #[must_use]
    pub const fn too_large(&self) -> (usize, usize) {
        self.too_large
    }

    /// Bytes of the frames that wait.
    #[must_use]
    pub fn queue_bytes(&self) -> usize {
        self.queue.bytes()
    }

    /// How many refusals the peer was told, or ended the session, and the name of
    /// the last.
    #[must_use]
    pub fn refusals(&self) -> (u64, &'static str) {
        self.counters.all_refusals()
    }

    /// Whether the peer has sent nothing but Hello and Error.
    #[cfg(feature = "bytes")]
    pub(crate) fn is_silent(&self) -> bool {
        self.counters.is_silent()
    }

    /// The counts until now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (peer, here) = self.in_flight();
        Stats {
            counters: self.counters.clone(),
            here,
            peer,
            queue_bytes: self.queue.bytes(),
            queue_frames: self.queue.frames(),
            held: self.held(),
            ..Stats::default()
        }
    }

    /// Takes the first frame that waits, which is thereby sent.
    pub fn poll_frame(&mut self, now: u64) -> Option<Outgoing<'_>> {
        self.poll(0, 1, now)
    }

    /// Takes as many of the first frames as lie together and have at most so many
    /// bytes, but at least one.
    pub fn poll_frames(&mut self, most_bytes: usize, now: u64) -> Option<Outgoing<'_>> {
        self.poll(most_bytes, usize::MAX, now)
    }

    fn poll(&mut self, most_bytes: usize, most_frames: usize, now: u64) -> Option<Outgoing<'_>> {
        if self.queue.is_empty() {
            return None;
        }
        self.progress = now;
        self.given = now;
        let (last_sent, counters) = (&mut self.last_sent, &mut self.counters);
        let stirred = &mut self.stirred;
        self.queue.take(most_bytes, most_frames, |slot| {
            counters.sent(slot.frame_type, slot.bytes);
            if stirs(slot.frame_type) {
                *stirred = now;
            }
            if check::begins_exchange(slot.frame_type) {
                // Frames are sent in the order of these ids.
                *last_sent = slot.id;
            }
        });
        self.settle(now);
        self.queue.given()
    }

    /// Whether a request of the peer's still waits for an answer.
    #[must_use]
    pub fn is_open(&mut self, id: u64) -> bool {
        self.there.get(id).is_some()
    }

    /// Memory that a frame takes beside its bytes: a buffer for the bytes that are still to come,
    /// and then a copy of its value.
    #[cfg(feature = "bytes")]
    pub(crate) fn spare_bytes(&self) -> usize {
        self.reader.buffer_bytes()
    }

    /// Gives back the memory that an idle session does not need.
    pub fn rest(&mut self) {
        self.reader.rest();
        self.queue.rest();
        self.here.rest();
        self.there.rest();
    }

    /// Whether the session makes and takes no frames any more.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended | Phase::Drained)
    }

    /// Notices that all is done that was to be done before a Drain [MXP-11.1].
    pub(crate) fn settle(&mut self, now: u64) {
        if self.phase != Phase::Ready {
            return;
        }
        if !self.drains || !self.queue.is_quiet() || self.has_places() {
            self.rested = None;
        } else if self.peer_drains && self.queue.is_empty() {
            self.phase = Phase::Drained;
        } else {
            self.rested.get_or_insert(now);
        }
    }

    /// Whether an exchange has a place.
    pub(crate) const fn has_places(&self) -> bool {
        self.here.places() > 0 || self.there.places() > 0
    }

    /// Refuses what would make a frame where none can be made.
    pub(crate) fn usable(&self) -> Result<(), Kind> {
        match self.phase {
            Phase::Ended | Phase::Drained => Err(Kind::Closed),
            Phase::Greeting | Phase::Comparing(_) => Err(Kind::NotReady),
            Phase::Ready => Ok(()),
        }
    }

    /// Whether the queue takes more of the user's frames [MXP-9.1].
    ///
    /// # Errors
    ///
    /// [`Kind::LimitQueueBytes`].
    pub const fn may_queue(&self) -> Result<(), Kind> {
        self.has_room(false)
    }

    /// Whether the queue takes more of the user's chunks and long values [MXP-9.1].
    ///
    /// # Errors
    ///
    /// [`Kind::LimitQueueBytes`].
    pub const fn may_queue_bulk(&self) -> Result<(), Kind> {
        self.has_room(true)
    }

    pub(crate) const fn has_room(&self, is_bulk: bool) -> Result<(), Kind> {
        if self.queue.bytes() >= self.most_queued(is_bulk) {
            return Err(Kind::LimitQueueBytes);
        }
        Ok(())
    }

    /// How many bytes may wait at most for a frame to join them.
    pub(crate) const fn most_queued(&self, is_bulk: bool) -> usize {
        let limits = &self.config.limits;
        if is_bulk && limits.bulk_bytes < limits.queue_bytes {
            return limits.bulk_bytes;
        }
        limits.queue_bytes
    }

    /// How many bytes the session holds [MXP-15.1].
    #[must_use]
    pub fn held(&self) -> usize {
        // A session that has ended reads nothing any more.
        let reading = if self.is_over() {
            0
        } else {
            self.reader.buffered()
        };
        self.backlog() + reading
    }

    /// How many bytes the session holds beside the frame that it reads [MXP-15.3].
    #[must_use]
    pub fn backlog(&self) -> usize {
        let exchanges = self.here.places() + self.there.places();
        let requests = self.there.bytes() + EXCHANGE_BYTES * exchanges;
        self.queue.bytes() + requests + self.texts
    }

    /// Begins a frame of the user's, which the peer must be able to take [MXP-9.2].
    pub(crate) fn draft(
        &mut self,
        frame_type: Type,
        value: &Value<'_>,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<Draft, Kind> {
        let draft = self.queue.begin(head);
        let draft = draft.map_err(|_| {
            self.too_large = (0, 0);
            Kind::PayloadTooLarge
        })?;
        let most = if rule(frame_type).is_own {
            self.peer_bytes.min(CONTROL_BYTES)
        } else {
            self.peer_bytes
        };
        let n = self.queue.begun_bytes(draft);
        let n = n.saturating_add(value.as_slice().len());
        if n > most {
            self.queue.undo(draft);
            self.too_large = (n, most);
            return Err(Kind::PayloadTooLarge);
        }
        Ok(draft)
    }

    /// Queues a frame that was begun.
    pub(crate) fn commit(
        &mut self,
        draft: Draft,
        header: Header,
        value: Value<'_>,
        class: Class,
        now: u64,
    ) {
        if self.queue.is_empty() {
            self.progress = now;
        }
        // Hello's hash is always written [MXP-6.1].
        let checksum = match header.frame_type {
            Type::Hello => Checksum::On,
            _ => self.checksum,
        };
        // Other values may join it [MXP-17.6].
        let is_open = self.batches
            && header.flags == Flags::NONE
            && matches!(header.frame_type, Type::StreamChunk | Type::Event)
            && value.as_slice().len() <= BATCHED_BYTES;
        self.queue
            .commit(draft, header, value, class, checksum, is_open);
    }

    /// Queues a frame of the session's own making.
    pub(crate) fn push(
        &mut self,
        header: Header,
        class: Class,
        now: u64,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<(), Kind> {
        let draft = self.queue.begin(head);
        let draft = draft.map_err(|_| Kind::PayloadTooLarge)?;
        self.commit(draft, header, Value::default(), class, now);
        Ok(())
    }

    /// Queues a frame that has no payload.
    pub(crate) fn push_empty(&mut self, header: Header, class: Class, now: u64) {
        // No payload has nothing that could not be encoded.
        let _ = self.push(header, class, now, |_| Ok(()));
    }

    /// Gives out an id.
    pub(crate) fn new_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 2;
        id
    }
}

/// From which length on a payload is bulk [MXP-9.1].
pub const BULK_PAYLOAD_BYTES: usize = 16 << 10;

/// The bytes that an exchange counts as, among the held bytes of a session [MXP-15.1].
const EXCHANGE_BYTES: usize = 1 << 10;

/// Whether frames of this type show that a connection is in use [MXP-10.7].
pub(crate) const fn stirs(frame_type: Type) -> bool {
    !matches!(frame_type, Type::Ping | Type::Pong)
}

/// The header of a frame of an exchange.
pub(crate) const fn header(frame_type: Type, flags: Flags, id: u64, trace: u64) -> Header {
    Header {
        frame_type,
        flags,
        message_id: id,
        trace_id: trace,
    }
}
