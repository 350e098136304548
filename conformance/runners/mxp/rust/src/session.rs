//! Answers lines about a session.

use mxp::frame::{Checksum, Flags, Frame, Header, Type};
use mxp::session::{
    Config, Failure, FullPolicy, Grant, Kind, Request, Role, Session, Status, TraceContext,
    TypeInfo,
};

use crate::told::told;
use crate::words::{digits, text, wrong, Words, Wrong};

/// The session that lines are about.
#[derive(Default)]
pub struct Held {
    session: Option<Session>,
    now: u64,
}

/// The words of an answer behind its result, and the lines that follow it.
#[derive(Default)]
struct Said {
    words: String,
    lines: Vec<String>,
}

impl Held {
    pub fn answer(&mut self, line: &str) -> Result<String, Wrong> {
        let mut words = line.split_whitespace().skip(1);
        let verb = words.next().unwrap_or_default();
        let words = Words::parse(words)?;
        self.now = words.number("now")?.unwrap_or(self.now);
        let said = if verb == "new" {
            self.new_session(&words)?
        } else {
            let session = self.session.as_mut().ok_or("there is no session")?;
            answer(session, verb, &words, self.now)?
        };
        Ok(match said {
            Ok(Said { words, lines }) => {
                let first = format!("session\tresult=ok{words}\tlines={}", lines.len());
                [&[first][..], &lines].concat().join("\n")
            }
            Err(kind) => format!("session\tresult=refused\terror={kind}\tlines=0"),
        })
    }

    fn new_session(&mut self, words: &Words<'_>) -> Result<Result<Said, Kind>, Wrong> {
        let role = match words.get("role") {
            Some("opener") => Role::Opener,
            Some("acceptor") => Role::Acceptor,
            _ => return Err("role is missing".into()),
        };
        let config = config(words)?;
        Ok(Session::new(config, role, self.now).map(|session| {
            self.session = Some(session);
            Said::default()
        }))
    }
}

fn config(words: &Words<'_>) -> Result<Config, Wrong> {
    let mut config = Config::new();
    let services = words.get("services").filter(|list| *list != "-");
    for name in services.into_iter().flat_map(|list| list.split(',')) {
        config = config.with_service(name);
    }
    for info in words.all("type") {
        let parts: Vec<&str> = info.split(':').collect();
        let &[name, fingerprints, layout] = &parts[..] else {
            return Err(wrong("type", info));
        };
        let prints = fingerprints
            .split(',')
            .filter(|p| !p.is_empty() && *p != "-");
        let prints = prints.map(|p| u64::from_str_radix(p, 16).map_err(|_| wrong("type", info)));
        let prints = prints.collect::<Result<Vec<_>, _>>()?;
        let mut info = TypeInfo::new(name, &prints, &text("type", layout)?);
        for part in words.all("use") {
            let parts: Vec<&str> = part.split(':').collect();
            let &[of, service, number, method, role] = &parts[..] else {
                return Err(wrong("use", part));
            };
            if of != name {
                continue;
            }
            let number = number.parse().map_err(|_| wrong("use", part))?;
            info = match role {
                "request" => info.requested(service, number, method),
                _ => info.responded(service, number, method),
            };
        }
        config = config.with_type(info);
    }
    let offers = words.get("offer").into_iter();
    for offer in offers.flat_map(|list| list.split(',')) {
        config = match offer {
            "checksum_off" => config.with_no_checksum(),
            "batches" => config.with_batches(),
            _ => return Err(wrong("offer", offer)),
        };
    }
    if words.get("agents") == Some("on") {
        config = config.with_agents();
    }
    let mut limits = mxp::session::Limits::default();
    set(&mut limits.payload_bytes, words.number("payload")?);
    set(&mut limits.in_flight, words.number("in_flight")?);
    set(
        &mut limits.in_flight_bytes,
        words.number("in_flight_bytes")?,
    );
    set(&mut limits.queue_bytes, words.number("queue_bytes")?);
    set(&mut limits.bulk_bytes, words.number("bulk_bytes")?);
    set(&mut limits.reply_bytes, words.number("reply_bytes")?);
    set(&mut limits.refusals, words.number("refusals")?);
    set(
        &mut limits.refusals_per_ms,
        words.number("refusals_per_ms")?,
    );
    set(&mut limits.hello_us, words.number("hello_us")?);
    set(&mut limits.frame_us, words.number("frame_us")?);
    set(&mut limits.stall_us, words.number("stall_us")?);
    set(&mut limits.ping_us, words.number("ping_us")?);
    set(&mut limits.pong_us, words.number("pong_us")?);
    set(
        &mut limits.frame_bytes_per_s,
        words.number("frame_bytes_per_s")?,
    );
    set(&mut limits.idle_us, words.number("idle_us")?);
    set(&mut limits.linger_us, words.number("linger_us")?);
    Ok(config.with_limits(limits))
}

fn set<T>(limit: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *limit = value;
    }
}

fn answer(
    session: &mut Session,
    verb: &str,
    words: &Words<'_>,
    now: u64,
) -> Result<Result<Said, Kind>, Wrong> {
    let said = match verb {
        "receive" => receive(session, &words.bytes("bytes")?, now),
        "deliver" => receive(session, &frame(words)?, now),
        "tick" => {
            session.tick(now);
            receive(session, &[], now)
        }
        "lost" => {
            session.lost();
            receive(session, &[], now)
        }
        "moved" => {
            session.moved(now);
            Said::default()
        }
        "pause" => {
            session.pause(now);
            Said::default()
        }
        "resume" => {
            session.resume(now);
            Said::default()
        }
        "overrun" => return Ok(overrun(session, words.number("id")?, now)),
        "poll" => poll(session, words.number("max")?, now),
        "state" => state(session),
        "stats" => Said {
            lines: session
                .stats()
                .prometheus()
                .lines()
                .map(Into::into)
                .collect(),
            ..Said::default()
        },
        "differences" => differences(session),
        "uncompared" => {
            let names = session.uncompared().iter();
            let lines = names.map(|name| format!("uncompared\tname={}", digits(name.as_bytes())));
            Said {
                lines: lines.collect(),
                ..Said::default()
            }
        }
        "call" | "open" | "event" => return ask(session, verb, words, now),
        "register" | "heartbeat" | "discover" => return agents(session, verb, words, now),
        "chunk" => {
            let (id, value) = (words.must("id")?, words.bytes("value")?);
            let (is_final, ack) = (words.flag("final")?, words.flag("ack")?);
            let number = session.chunk(id, is_final, ack, value, now);
            return Ok(number.map(|number| said(format!("\tnumber={number}"))));
        }
        _ => return Ok(act(session, verb, words, now)?.map(|()| Said::default())),
    };
    Ok(Ok(said))
}

/// The verbs that make a request, whose id is answered.
fn ask(
    session: &mut Session,
    verb: &str,
    words: &Words<'_>,
    now: u64,
) -> Result<Result<Said, Kind>, Wrong> {
    let metadata = metadata(words)?;
    let pairs: Vec<(&str, &[u8])> = metadata.iter().map(|(k, v)| (&k[..], &v[..])).collect();
    let request = Request::new(words.must("service")?, words.must("method")?)
        .with_deadline(words.number("deadline")?.unwrap_or(0))
        .with_trace(trace(words)?)
        .with_metadata(&pairs);
    let value = words.bytes("value")?;
    Ok(match verb {
        "call" => session.call(&request, value, now).map(with_id),
        "open" => {
            let is_final = words.flag("final")?;
            let id = session.open(&request, grant(words)?, is_final, value, now);
            id.map(with_id)
        }
        _ => {
            let on_full = match words.get("full") {
                Some("newest") => FullPolicy::DropNewest,
                Some("oldest") => FullPolicy::DropOldest,
                _ => FullPolicy::Refuse,
            };
            let id = session.event(&request, words.flag("ack")?, on_full, value, now);
            id.map(|id| match id {
                Some(id) => said(format!("\tid={id}\tdropped=0")),
                None => said("\tid=0\tdropped=1".into()),
            })
        }
    })
}

fn agents(
    session: &mut Session,
    verb: &str,
    words: &Words<'_>,
    now: u64,
) -> Result<Result<Said, Kind>, Wrong> {
    let id = match verb {
        "register" => session.register_agent(&words.registration()?, now),
        "heartbeat" => session.heartbeat(&words.text("name")?, now),
        _ => session.query_agents(&words.query()?, now),
    };
    Ok(id.map(with_id))
}

/// The verbs that have nothing to say if they are not refused.
fn act(
    session: &mut Session,
    verb: &str,
    words: &Words<'_>,
    now: u64,
) -> Result<Result<(), Kind>, Wrong> {
    if verb == "drain" {
        return Ok(session.drain(&words.text("reason")?, now));
    }
    let id = words.must("id")?;
    Ok(match verb {
        "respond" => {
            let metadata = metadata(words)?;
            let pairs = metadata.iter().map(|(k, v)| (&k[..], &v[..]));
            let pairs: Vec<(&str, &[u8])> = pairs.collect();
            session.respond(id, &pairs, words.bytes("value")?, now)
        }
        "fail" => {
            let (name, text) = (words.text("name")?, words.text("text")?);
            let failure = Failure {
                status: Status(words.must("status")?),
                name: &name,
                text: &text,
                details: &words.bytes("details")?,
                acted: !words.flag("refused")?,
            };
            session.fail(id, &failure, now)
        }
        "release" => session.release(id, now),
        "cancel" => session.cancel(id, now),
        "finish" => session.finish(id, now),
        "grant" => session.grant(id, grant(words)?, now),
        "ack" => session.ack(id, words.number("chunk")?.unwrap_or(0), now),
        verb => return Err(format!("a session does not {verb:?}")),
    })
}

/// Ends a stream, or the session.
fn overrun(session: &mut Session, id: Option<u64>, now: u64) -> Result<Said, Kind> {
    match id {
        Some(id) => session.overrun_stream(id, now)?,
        None => session.overrun(now),
    }
    Ok(Said::default())
}

fn receive(session: &mut Session, bytes: &[u8], now: u64) -> Said {
    let mut rest = bytes;
    let mut lines = Vec::new();
    while let Some(incoming) = session.receive(&mut rest, now) {
        lines.extend(told(&incoming));
    }
    Said {
        words: format!("\tused={}", bytes.len() - rest.len()),
        lines,
    }
}

fn differences(session: &Session) -> Said {
    let lines = session.differences().iter().map(|one| {
        let (served, number) = (u8::from(one.is_served), one.method.number);
        let text = digits(one.text.as_bytes());
        format!("difference\tserved={served}\tmethod={number}\ttext={text}")
    });
    Said {
        lines: lines.collect(),
        ..Said::default()
    }
}

fn poll(session: &mut Session, max: Option<usize>, now: u64) -> Said {
    let mut lines = Vec::new();
    while lines.len() < max.unwrap_or(usize::MAX) {
        let Some(frame) = session.poll_frame(now) else {
            break;
        };
        lines.push(digits(&frame.to_vec()));
    }
    Said {
        lines,
        ..Said::default()
    }
}

fn state(session: &Session) -> Said {
    let (peer, here) = session.in_flight();
    let timeout = session.next_timeout();
    said(format!(
        "\tready={}\tfinished={}\tin={peer}\tout={here}\tqueue={}\theld={}\ttimeout={}",
        u8::from(session.ready()),
        u8::from(session.finished()),
        session.queue_bytes(),
        session.held(),
        timeout.map_or("-".into(), |at| at.to_string()),
    ))
}

/// The bytes of a frame that is to be delivered.
fn frame(words: &Words<'_>) -> Result<Vec<u8>, Wrong> {
    let frame_type: u8 = words.must("type")?;
    let flags: u8 = words.number("flags")?.unwrap_or(0);
    let header = Header {
        frame_type: Type::try_from(frame_type).map_err(|e| e.to_string())?,
        flags: Flags::try_from(flags).map_err(|e| e.to_string())?,
        message_id: words.must("id")?,
        trace_id: words.number("trace")?.unwrap_or(0),
    };
    let payload = words.bytes("payload")?;
    let frame = Frame {
        header,
        payload: &payload,
    };
    let checksum = match words.get("checksum") {
        Some("off") => Checksum::Off,
        _ => Checksum::On,
    };
    frame.encode_to_vec(checksum).map_err(|e| e.to_string())
}

fn grant(words: &Words<'_>) -> Result<Grant, Wrong> {
    Ok(Grant {
        messages: words.must("messages")?,
        bytes: words.must("bytes")?,
    })
}

fn trace(words: &Words<'_>) -> Result<Option<TraceContext>, Wrong> {
    let Some(value) = words.get("trace").filter(|value| *value != "-") else {
        return Ok(None);
    };
    let read = || {
        let mut parts = value.split(':');
        let id = u128::from_str_radix(parts.next()?, 16).ok()?;
        Some(TraceContext {
            id: id.to_be_bytes(),
            parent: parts.next()?.parse().ok()?,
            flags: parts.next()?.parse().ok()?,
        })
    };
    read().map(Some).ok_or_else(|| wrong("trace", value))
}

fn metadata(words: &Words<'_>) -> Result<Vec<(String, Vec<u8>)>, Wrong> {
    let list = words.get("meta").filter(|list| *list != "-");
    let pairs = list.into_iter().flat_map(|list| list.split(','));
    let pairs = pairs.map(|pair| {
        let (key, value) = pair.split_once(':').ok_or_else(|| wrong("meta", pair))?;
        let value = crate::request::unhex(value).ok_or_else(|| wrong("meta", pair))?;
        Ok((text("meta", key)?, value))
    });
    pairs.collect()
}

fn with_id(id: u64) -> Said {
    said(format!("\tid={id}"))
}

fn said(words: String) -> Said {
    Said {
        words,
        ..Said::default()
    }
}
