//! Messages one behind the other.

use std::io::{self, Read};

use golden::shapes::{Absent, Message};
use sdp::{AppendMessage, Error, Kind, MessageReader, MessageWriter, StreamError};

use crate::sample::everything;

/// Messages of different types, their bytes in a row, and where each starts.
fn stream() -> (Vec<Message>, Vec<u8>, Vec<usize>) {
    let messages = vec![
        Message::Everything(everything()),
        Message::Kept(everything().kept),
        Message::Absent(Absent::new()),
    ];
    let mut starts = vec![0];
    let mut bytes = Vec::new();
    for message in &messages {
        MessageWriter::new(&mut bytes).write(message).unwrap();
        starts.push(bytes.len());
    }
    (messages, bytes, starts)
}

type Reader<'a> = MessageReader<&'a [u8], Message>;

fn refusal(error: StreamError) -> Error {
    match error {
        StreamError::Refused(refusal) => refusal,
        error => panic!("{error} is no refusal"),
    }
}

/// Yields a byte at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(1);
        self.0.read(&mut out[..n])
    }
}

#[test]
fn a_reader_returns_each_message() {
    let (messages, bytes, _) = stream();
    let read: Result<Vec<Message>, _> = Reader::new(&bytes).collect();
    assert_eq!(read.unwrap(), messages);
    let slow: Result<Vec<Message>, _> = MessageReader::new(Slow(&bytes)).collect();
    assert_eq!(slow.unwrap(), messages);
}

#[test]
fn a_reader_tells_a_cut_stream_from_its_end() {
    let (messages, bytes, starts) = stream();
    for cut in 0..bytes.len() {
        let whole = starts.iter().filter(|start| **start <= cut).count() - 1;
        let mut reader = Reader::new(&bytes[..cut]);
        for message in &messages[..whole] {
            assert_eq!(reader.read().unwrap().as_ref(), Some(message));
        }
        let offset = match cut - starts[whole] {
            0 => {
                assert!(reader.read().unwrap().is_none());
                continue;
            }
            1..4 => 0,
            4..6 => 4,
            _ => 6,
        };
        for _ in 0..2 {
            let error = refusal(reader.read().unwrap_err());
            assert_eq!(
                error,
                Error::at(Kind::Truncated, offset, ""),
                "cut at {cut}"
            );
        }
    }
}

#[test]
fn a_reader_goes_on_behind_an_unknown_type() {
    let (messages, mut bytes, starts) = stream();
    bytes[starts[1] + 4] = 99;
    let mut reader = Reader::new(&bytes);
    assert_eq!(reader.read().unwrap().as_ref(), Some(&messages[0]));
    let unknown = refusal(reader.read().unwrap_err());
    assert_eq!(unknown, Error::at(Kind::TypeIdUnknown, 4, ""));
    assert_eq!(reader.read().unwrap().as_ref(), Some(&messages[2]));
    assert!(reader.read().unwrap().is_none());
}

#[test]
fn a_reader_ends_at_any_other_refusal() {
    let (_, bytes, starts) = stream();
    for (at, byte, kind, offset) in [
        (0, b'X', Kind::MagicInvalid, 0),
        (3, b'9', Kind::VersionUnsupported, 3),
        (9, 0xff, Kind::LimitMessageBytes, 6),
        (6, 2, Kind::SegmentPartial, 11),
    ] {
        let mut damaged = bytes.clone();
        damaged[starts[1] + at] = byte;
        let mut reader = Reader::new(&damaged);
        reader.read().unwrap();
        for _ in 0..2 {
            let error = refusal(reader.read().unwrap_err());
            assert_eq!((error.kind, error.offset), (kind, Some(offset)));
        }
    }
}

#[test]
fn a_declared_length_that_never_comes_costs_no_memory() {
    let arrived = [&b"SDP2\x04\0\0\0\0\x08"[..], &[0; 10]].concat();
    let spent = allocation_counter::measure(|| {
        let error = refusal(Reader::new(&arrived).read().unwrap_err());
        assert_eq!(error, Error::at(Kind::Truncated, 6, ""));
    });
    assert!(spent.bytes_total < 64 << 10, "{spent:?}");
}

#[test]
fn a_refused_message_is_not_written() {
    let mut value = everything();
    value.short = "x".repeat(256);
    let mut writer = MessageWriter::new(Vec::new());
    let error = refusal(writer.write(&value).unwrap_err());
    assert_eq!(error.kind, Kind::ValueTooLarge);
    writer.write(&Absent::new()).unwrap();
    assert_eq!(writer.into_inner(), b"SDP2\x05\0\x01\0\0\0\0");
    let mut out = Vec::new();
    AppendMessage::append_message(&Absent::new(), &mut out).unwrap();
    assert_eq!(out, b"SDP2\x05\0\x01\0\0\0\0");
}
