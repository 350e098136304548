//! Answers requests about frames and sessions of MXP, a line each:
//!
//! ```text
//! frame HEX [limit=N] [checksum=off] [prefix=yes]
//! frames HEX cuts=1,5,9 [limit=N] [checksum=off]
//! write type=16 flags=0 id=1 trace=2 payload=HEX [checksum=off]
//! ```
//!
//! No bytes are written `-` in a request, and as nothing in an answer.
//!
//! Lines that begin with `session` are about the only session, lines that begin with `directory`
//! about the only directory; see conformance/README.md.

mod directory;
mod request;
mod session;
mod told;
mod words;

use std::io::{self, BufRead, Write};

use mxp::frame::{
    decode, decode_prefix, Checksum, DecodeOptions, Error, Flags, Frame, FrameReader, Header, Type,
};
use request::{hex, Request};

/// Why there is no answer but this.
enum Failure {
    Refused(Error),
    Other(String),
}

impl From<Error> for Failure {
    fn from(refusal: Error) -> Self {
        Self::Refused(refusal)
    }
}

type Answer<T> = Result<T, Failure>;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut session = session::Held::default();
    let mut directory = directory::Held::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match line.split_whitespace().next() {
            Some("session") => session.answer(&line).map_err(Failure::Other),
            Some("directory") => directory.answer(&line).map_err(Failure::Other),
            _ => answer(&line),
        };
        let answer = answer.unwrap_or_else(|failure| rejected(&failure));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> Answer<String> {
    let request = Request::parse(line).map_err(Failure::Other)?;
    match request.op {
        "frame" => one(&request),
        "frames" => many(&request),
        "write" => write(&request),
        op => Err(Failure::Other(format!("no operation is called {op:?}"))),
    }
}

/// Decodes one frame, or the first.
fn one(request: &Request) -> Answer<String> {
    let options = options(request);
    let (frame, used) = if request.prefix {
        decode_prefix(&request.data, &options)?
    } else {
        let frame = decode(&request.data, &options)?;
        (frame, request.data.len())
    };
    accepted(&frame, Some(used), request.checksum)
}

/// Reads frames from pieces: a line each, behind one that counts them.
fn many(request: &Request) -> Answer<String> {
    let mut lines = Vec::new();
    let end = match read(request, &mut lines) {
        Ok(()) => "end".to_string(),
        Err(Failure::Refused(refusal)) => rejected(&Failure::Refused(refusal)),
        Err(failure) => return Err(failure),
    };
    lines.push(end);
    Ok(format!(
        "stream\treads={}\n{}",
        lines.len(),
        lines.join("\n")
    ))
}

/// Reads to the end, and adds an answer for each frame.
fn read(request: &Request, lines: &mut Vec<String>) -> Answer<()> {
    let mut reader = FrameReader::new(options(request));
    for mut piece in request.pieces().map_err(Failure::Other)? {
        while let Some(frame) = reader.read(&mut piece)? {
            lines.push(accepted(&frame, None, request.checksum)?);
        }
    }
    Ok(reader.finish()?)
}

/// Writes a frame in every way, which must agree.
fn write(request: &Request) -> Answer<String> {
    let header = Header {
        frame_type: Type::try_from(request.frame_type)?,
        flags: Flags::try_from(request.flags)?,
        message_id: request.message_id,
        trace_id: request.trace_id,
    };
    let frame = Frame {
        header,
        payload: &request.data,
    };
    Ok(format!(
        "accept\tbytes={}",
        hex(&encode(&frame, request.checksum)?)
    ))
}

/// The bytes of a frame, if all ways to encode it agree on them.
fn encode(frame: &Frame<'_>, checksum: Checksum) -> Answer<Vec<u8>> {
    let mut slice = vec![0xaa; frame.encoded_bytes()];
    let used = frame.encode_to_slice(&mut slice, checksum)?;
    let mut appended = b"before".to_vec();
    frame.append(&mut appended, checksum)?;
    let sealed = frame.header.seal(frame.payload, checksum)?;
    let one = [&sealed.header[..], frame.payload, &sealed.trailer].concat();
    let (a, rest) = frame.payload.split_at(frame.payload.len() / 3);
    let (b, c) = rest.split_at(rest.len() / 2);
    let sealed = frame.header.seal_pieces(&[a, b, c], checksum)?;
    let three = [&sealed.header[..], a, b, c, &sealed.trailer].concat();
    let agreed = used == slice.len()
        && appended == [b"before", &slice[..]].concat()
        && one == slice
        && three == slice
        && frame.encode_to_vec(checksum)? == slice;
    if !agreed {
        let ways = [&slice, &appended, &one, &three].map(|bytes| hex(bytes));
        return Err(Failure::Other(format!("ways disagree: {ways:?}")));
    }
    Ok(slice)
}

fn options(request: &Request) -> DecodeOptions {
    let options = DecodeOptions::new(request.checksum);
    request
        .limit
        .map_or(options, |limit| options.with_limit(limit))
}

/// A frame, and its bytes, encoded anew.
fn accepted(frame: &Frame<'_>, used: Option<usize>, checksum: Checksum) -> Answer<String> {
    let Header {
        frame_type,
        flags,
        message_id,
        trace_id,
    } = frame.header;
    let used = used.map_or(String::new(), |used| format!("\tused={used}"));
    Ok(format!(
        "accept\ttype={}\tflags={}\tid={message_id}\ttrace={trace_id}\tpayload={}{used}\tbytes={}",
        frame_type.number(),
        flags.bits(),
        hex(frame.payload),
        hex(&encode(frame, checksum)?)
    ))
}

fn rejected(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => {
            let offset = refusal.offset.map_or("-1".into(), |n| n.to_string());
            format!("reject\terror={}\toffset={offset}", refusal.kind)
        }
        Failure::Other(text) => format!("error\t{text}"),
    }
}
