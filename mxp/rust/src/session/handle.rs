//! The effects of frames of each type on a session.

use crate::frame::{Flags, Header, Type};
use crate::session::ending::Fatal;
use crate::session::exchange::{Kind as ExchangeKind, Stream};
use crate::session::mxp_control::{
    CallHeadView, FailureRef, FarewellView, GrantView, ResponseStartView, TakenView,
};
use crate::session::mxp_registry::{HeartbeatView, QueryView, RegistrationView};
use crate::session::queue::Class;
use crate::session::records::{self, Records};
use crate::session::state::header;
use crate::session::{Grant, Kind, Session, TraceContext, Why};

/// The news that a frame has for the user. Parts of its payload are named by their place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum News {
    Ready,
    Call(Head),
    Open(Head, Grant),
    Event(Head),
    Events { head: Head, count: usize },
    Response { metadata_at: usize, value_at: usize },
    Ended { acted: bool },
    Chunk { number: u64 },
    Chunks { first: u64, count: usize },
    Finished,
    Granted(Grant),
    Acked { chunk: u64 },
    Draining,
    Register,
    Heartbeat,
    Discover,
}

/// The head of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) service: u16,
    pub(crate) method: u16,
    pub(crate) deadline: u64,
    pub(crate) trace: Option<TraceContext>,
    pub(crate) metadata_at: usize,
    pub(crate) value_at: usize,
}

impl Head {
    /// A head that begins behind the length that every start begins with.
    pub(super) fn of(view: CallHeadView<'_>, value_at: usize) -> Self {
        let trace = view.trace().map(|trace| TraceContext {
            id: trace.id,
            parent: trace.parent,
            flags: trace.flags,
        });
        // Length, service, method, deadline, and whether there is a trace.
        let metadata_at = 4 + 2 + 2 + 8 + 1 + if trace.is_some() { 16 + 8 + 1 } else { 0 };
        Self {
            service: view.service(),
            method: view.method(),
            deadline: view.deadline(),
            trace,
            metadata_at,
            value_at,
        }
    }

    pub(super) fn trace_id(&self) -> u64 {
        self.trace.map_or(0, |trace| trace.low_half())
    }
}

pub(super) type HandleResult = Result<Option<News>, Fatal>;

impl Session {
    /// Takes a whole frame.
    #[inline]
    pub(crate) fn take_frame(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let frame_type = header.frame_type;
        self.counters.received(frame_type, payload.len());
        self.check(header, payload.len())?;
        match frame_type {
            Type::Hello => self.take_hello(payload, now),
            Type::Call => self.take_call(header, payload, now),
            Type::Event => self.take_event(header, payload, now),
            Type::Events => self.take_events(payload, now),
            Type::StreamOpen => self.take_open(header, payload, now),
            Type::Response => self.take_response(header, payload, now),
            Type::Error => self.take_error(header, payload, now),
            Type::StreamChunk => self.take_chunk(header, payload, now),
            Type::StreamChunks => self.take_chunks(header, payload, now),
            Type::StreamClose => self.take_close(header),
            Type::Credit => self.take_credit(header, payload),
            Type::Ack => self.take_ack(header, payload),
            Type::Cancel => {
                self.take_cancel(header, now);
                Ok(None)
            }
            Type::Ping => {
                let pong = header_of(Type::Pong, header.message_id, 0);
                self.push_empty(pong, Class::Reply, now);
                Ok(None)
            }
            Type::Pong => self.take_pong(header),
            Type::Drain => {
                self.take_drain(FarewellView::new(payload)?, now);
                Ok(Some(News::Draining))
            }
            Type::AgentRegister => {
                RegistrationView::new(payload)?;
                Ok(self.take_agent(header, payload, News::Register, now))
            }
            Type::AgentHeartbeat => {
                HeartbeatView::new(payload)?;
                Ok(self.take_agent(header, payload, News::Heartbeat, now))
            }
            Type::AgentDiscover => {
                QueryView::new(payload)?;
                Ok(self.take_agent(header, payload, News::Discover, now))
            }
        }
    }

    fn take_drain(&mut self, farewell: FarewellView<'_>, now: u64) {
        if let Some(last) = farewell.last().filter(|_| !self.peer_drains) {
            self.last_taken = last;
        }
        self.peer_drains = true;
        self.farewell(farewell.reason(), now);
    }

    fn take_response(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let (_, value_at) = start::<ResponseStartView<'_>>(payload)?;
        let id = header.message_id;
        let is_sent = self.is_sent(id);
        let Some(exchange) = self.here.get(id) else {
            return Ok(self.pass_over());
        };
        if !is_sent {
            return Err(Kind::Id.into());
        }
        if !matches!(exchange.kind, ExchangeKind::Call | ExchangeKind::Agent) {
            return Ok(self.pass_over());
        }
        self.answered(id, now);
        // Behind the length that every start begins with.
        let metadata_at = 4;
        Ok(Some(News::Response {
            metadata_at,
            value_at,
        }))
    }

    fn take_error(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let failure = FailureRef::decode(payload)?;
        let id = header.message_id;
        if id == 0 {
            self.end_by_peer(&failure);
            return Ok(None);
        }
        if self.here.get(id).is_none() {
            return Ok(self.pass_over());
        }
        if !self.is_sent(id) {
            return Err(Kind::Id.into());
        }
        let acted = !failure.refused;
        self.answered(id, now);
        Ok(Some(News::Ended { acted }))
    }

    /// Takes the answer to a request of this side's.
    fn answered(&mut self, id: u64, now: u64) {
        if let Some(exchange) = self.here.remove(id) {
            if let ExchangeKind::Call = exchange.kind {
                self.counters.took(now.saturating_sub(exchange.made));
            }
        }
    }

    fn take_chunk(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let number = self.take_credited(header, 1, payload.len(), now)?;
        Ok(number.map(|number| News::Chunk { number }))
    }

    fn take_chunks(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let count = records::count(payload)?;
        let bytes = Records::of(count, payload).bytes();
        let last = self.take_credited(header, count, bytes, now)?;
        Ok(last.map(|last| {
            let first = last + 1 - count as u64;
            News::Chunks { first, count }
        }))
    }

    /// Takes chunks of so many bytes together, if their stream is there and they were granted.
    /// Returns the number of the last.
    #[inline]
    fn take_credited(
        &mut self,
        header: &Header,
        chunks: usize,
        bytes: usize,
        now: u64,
    ) -> Result<Option<u64>, Kind> {
        let (id, chunks, bytes) = (header.message_id, chunks as u64, bytes as u64);
        let Some(stream) = self.stream(id)? else {
            return Ok(None);
        };
        if stream.back.has_ended {
            self.counters.late += 1;
            return Ok(None);
        }
        if !stream.back.allows(chunks, bytes) {
            self.breach(id, now);
            return Ok(None);
        }
        let number = stream.back.count(chunks, bytes, header.flags);
        self.close_if_over(id);
        Ok(Some(number))
    }

    fn take_close(&mut self, header: &Header) -> HandleResult {
        let id = header.message_id;
        let Some(stream) = self.stream(id)? else {
            return Ok(None);
        };
        if stream.back.has_ended {
            return Ok(self.pass_over());
        }
        stream.back.has_ended = true;
        self.close_if_over(id);
        Ok(Some(News::Finished))
    }

    fn take_credit(&mut self, header: &Header, payload: &[u8]) -> HandleResult {
        let view = GrantView::new(payload)?;
        let grant = Grant {
            messages: view.messages(),
            bytes: view.bytes(),
        };
        let Some(stream) = self.stream(header.message_id)? else {
            return Ok(None);
        };
        stream.out.grant(grant);
        Ok(Some(News::Granted(grant)))
    }

    fn take_ack(&mut self, header: &Header, payload: &[u8]) -> HandleResult {
        let chunk = TakenView::new(payload)?.chunk();
        let id = header.message_id;
        let (is_mine, is_sent) = (self.is_mine(id), self.is_sent(id));
        let Some(exchange) = self.table(id).get(id) else {
            return Ok(self.pass_over());
        };
        if !is_sent {
            return Err(Kind::Id.into());
        }
        let fits = match &mut exchange.kind {
            ExchangeKind::Event => is_mine && chunk == 0,
            ExchangeKind::Stream(stream) => stream.out.ack(chunk),
            _ => false,
        };
        if !fits {
            return Ok(self.pass_over());
        }
        if exchange.stream().is_some() {
            self.close_if_over(id);
        } else {
            self.here.remove(id);
        }
        Ok(Some(News::Acked { chunk }))
    }

    fn take_cancel(&mut self, header: &Header, now: u64) {
        let id = header.message_id;
        let Some(exchange) = self.there.get(id) else {
            self.pass_over();
            return;
        };
        if exchange
            .stream()
            .map_or(true, |stream| stream.out.number == 0)
        {
            self.caused(now);
        }
        self.cut_off(id, Why::Peer);
    }

    fn take_pong(&mut self, header: &Header) -> HandleResult {
        let id = header.message_id;
        if self.here.get(id).is_some() && !self.is_sent(id) {
            return Err(Kind::Id.into());
        }
        match &mut self.ping {
            Some(ping) if ping.id == id && !ping.is_answered => ping.is_answered = true,
            _ => return Ok(self.pass_over()),
        }
        Ok(None)
    }

    /// A stream that a frame names. A frame for an exchange that is gone, or is no stream, is
    /// passed over; an id that the peer can't know ends the session.
    fn stream(&mut self, id: u64) -> Result<Option<&mut Stream>, Kind> {
        let is_sent = self.is_sent(id);
        let table = if self.is_mine(id) {
            &mut self.here
        } else {
            &mut self.there
        };
        let Some(exchange) = table.get(id) else {
            self.counters.late += 1;
            return Ok(None);
        };
        if !is_sent {
            return Err(Kind::Id);
        }
        let stream = exchange.stream();
        if stream.is_none() {
            self.counters.late += 1;
        }
        Ok(stream)
    }

    /// Counts a frame that names an exchange which is not there any more
    /// [MXP-5.7].
    fn pass_over(&mut self) -> Option<News> {
        self.counters.late += 1;
        None
    }

    /// Ends a stream on which more came than was granted [MXP-8.3].
    fn breach(&mut self, id: u64, now: u64) {
        if !self.is_mine(id) {
            self.caused(now);
        }
        self.stop(id, Kind::StreamCredit, Why::Credit, now);
    }

    /// Ends a stream at both ends.
    pub(crate) fn stop(&mut self, id: u64, kind: Kind, why: Why, now: u64) {
        if self.is_mine(id) {
            self.counters.refused(kind.number());
            self.give_up(id, kind, now);
        } else if let Some(exchange) = self.there.get(id) {
            let trace = exchange.trace;
            self.answer_error(id, trace, kind, false, now);
            self.cut_off(id, why);
        }
    }
}

/// The header of a frame without flags.
const fn header_of(frame_type: Type, id: u64, trace: u64) -> Header {
    header(frame_type, Flags::NONE, id, trace)
}

/// The start of a payload, and where the value behind it begins.
#[inline]
pub(super) fn start<'a, T: sdp::wire::Decode<'a>>(
    payload: &'a [u8],
) -> Result<(T, usize), sdp::Error> {
    sdp::wire::decode_prefix(payload, sdp::wire::DEFAULT)
}
