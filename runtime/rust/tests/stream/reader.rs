use std::error::Error as _;
use std::io::{self, ErrorKind, Read};

use sdp::{DecodeOptions, Error, Kind, Limits, MessageReader, StreamError};

use crate::package::{header, message, Message};
use crate::sources::{Failing, Trickle};

fn reader<R: Read>(source: R) -> MessageReader<R, Message> {
    MessageReader::new(source)
}

fn refusal(error: StreamError) -> Error {
    match error {
        StreamError::Refused(error) => error,
        other => panic!("{other:?}"),
    }
}

fn blob(bytes: &[u8]) -> Message {
    Message::Blob(bytes.to_vec())
}

fn two_messages() -> Vec<u8> {
    [message(7, b"abc"), message(8, b"")].concat()
}

#[test]
fn messages_come_one_at_a_time() {
    let bytes = two_messages();
    let mut reader = reader(&bytes[..]);
    assert_eq!(reader.read().unwrap(), Some(blob(b"abc")));
    assert_eq!(reader.read().unwrap(), Some(Message::Empty));
    assert_eq!(reader.read().unwrap(), None);
    assert_eq!(reader.read().unwrap(), None);
}

#[test]
fn a_source_may_trickle_and_be_interrupted() {
    let stream = [two_messages(), message(9, b"skipped"), two_messages()].concat();
    let results: Vec<_> = reader(Trickle::new(&stream[..])).collect();
    assert_eq!(results.len(), 5);
    for (i, result) in results.into_iter().enumerate() {
        match i {
            2 => assert_eq!(refusal(result.unwrap_err()).kind, Kind::TypeIdUnknown),
            0 | 3 => assert_eq!(result.unwrap(), blob(b"abc")),
            _ => assert_eq!(result.unwrap(), Message::Empty),
        }
    }
}

#[test]
fn reading_stops_behind_the_message() {
    let stream = [message(7, b"abc"), b"rest".to_vec()].concat();
    let mut reader = reader(&stream[..]);
    reader.read().unwrap();
    assert_eq!(reader.into_inner(), b"rest");
}

#[test]
fn raw_messages_can_be_borrowed_from() {
    let stream = [two_messages(), message(9, b"x"), message(7, b"z")].concat();
    let mut reader = reader(&stream[..]);
    assert_eq!(
        reader.read_message().unwrap(),
        Some(&message(7, b"abc")[..])
    );
    assert_eq!(reader.read_message().unwrap(), Some(&message(8, b"")[..]));
    let unknown = refusal(reader.read_message().unwrap_err());
    assert_eq!(unknown, Error::at(Kind::TypeIdUnknown, 4, ""));
    assert_eq!(reader.read_message().unwrap(), Some(&message(7, b"z")[..]));
    assert_eq!(reader.read_message().unwrap(), None);
}

// Each stream starts with a message that is fine: offsets count from the header
// of the second.
#[test]
fn refusals_stay_and_count_from_their_message() {
    let long = || [header(7, 21), vec![0; 21]].concat();
    let cases = [
        (b"SE".to_vec(), Kind::MagicInvalid, 0, ""),
        (b"SDP3".to_vec(), Kind::VersionUnsupported, 3, ""),
        (b"SDP".to_vec(), Kind::Truncated, 0, ""),
        (b"SDP2".to_vec(), Kind::Truncated, 4, ""),
        (b"SDP2\x07".to_vec(), Kind::Truncated, 4, ""),
        (b"SDP2\x07\0".to_vec(), Kind::Truncated, 6, ""),
        (b"SDP2\x07\0\x01\0\0".to_vec(), Kind::Truncated, 6, ""),
        (b"SDP2\x09\0\x01\0\0".to_vec(), Kind::Truncated, 6, ""),
        (header(7, 1), Kind::Truncated, 6, ""),
        (header(7, 20), Kind::Truncated, 6, ""),
        (header(9, 1), Kind::Truncated, 6, ""),
        (long(), Kind::LimitMessageBytes, 6, ""),
        (header(7, 0xffff_ffff), Kind::LimitMessageBytes, 6, ""),
        (message(7, b"a\xffb"), Kind::BoolInvalid, 11, "blob"),
        (message(8, b"a"), Kind::TrailingBytes, 10, ""),
    ];
    for (bytes, kind, offset, path) in cases {
        let want = Error::at(kind, offset, path);
        let stream = [message(7, b"abc"), bytes, message(8, b"")].concat();
        // The bytes behind a cut message would complete it.
        let stream = if kind == Kind::Truncated {
            &stream[..stream.len() - 10]
        } else {
            &stream[..]
        };
        let limits = Limits::new().with_message_bytes(20);
        let options = DecodeOptions::new().with_limits(limits);
        let mut reader = reader(stream).with_options(options);
        assert_eq!(reader.read().unwrap(), Some(blob(b"abc")));
        for _ in 0..3 {
            assert_eq!(refusal(reader.read().unwrap_err()), want);
            assert_eq!(refusal(reader.read_message().unwrap_err()), want);
        }
        assert!(reader.next().is_none());
    }
}

#[test]
fn iterators_yield_the_last_error_once() {
    let stream = [message(8, b""), message(7, b"\xff"), message(8, b"")].concat();
    let mut reader = reader(&stream[..]);
    assert_eq!(reader.next().unwrap().unwrap(), Message::Empty);
    assert_eq!(
        refusal(reader.next().unwrap().unwrap_err()).kind,
        Kind::BoolInvalid
    );
    assert!(reader.next().is_none());
    assert_eq!(refusal(reader.read().unwrap_err()).kind, Kind::BoolInvalid);
}

#[test]
fn io_errors_are_told_from_refusals_and_stay() {
    for n in [0, 5, 10, 50] {
        let mut reader = reader(Failing(n));
        for _ in 0..2 {
            let Err(StreamError::Io(error)) = reader.read() else {
                panic!("{n} bytes");
            };
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            assert_eq!(error.to_string(), "unplugged");
        }
    }
}

#[test]
fn stream_errors_become_io_errors() {
    let refused = StreamError::from(Error::at(Kind::Truncated, 6, ""));
    assert_eq!(refused.to_string(), "truncated at byte 6");
    assert!(refused.source().is_none());
    let error = io::Error::from(refused);
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let failed = StreamError::from(io::Error::new(ErrorKind::TimedOut, "late"));
    assert_eq!(failed.to_string(), "late");
    assert_eq!(io::Error::from(failed).kind(), ErrorKind::TimedOut);
}

#[test]
fn a_declared_length_costs_no_memory() {
    let limits = Limits::new().with_message_bytes(usize::MAX);
    let options = DecodeOptions::new().with_limits(limits);
    let declared = [header(7, 0xffff_ffff), vec![1; 1000]].concat();
    let spent = allocation_counter::measure(|| {
        let mut reader = reader(&declared[..]).with_options(options);
        assert_eq!(refusal(reader.read().unwrap_err()).kind, Kind::Truncated);
    });
    assert!(spent.bytes_max < 64 << 10, "{spent:?}");
}

#[test]
fn skipping_holds_no_payload() {
    let n = 64 << 20;
    let payload = io::repeat(1).take(n);
    let start = header(9, usize::try_from(n).unwrap());
    let end = message(8, b"");
    let spent = allocation_counter::measure(|| {
        let mut reader = reader((&start[..]).chain(payload).chain(&end[..]));
        assert_eq!(
            refusal(reader.read().unwrap_err()).kind,
            Kind::TypeIdUnknown
        );
        assert_eq!(reader.read().unwrap(), Some(Message::Empty));
    });
    assert!(spent.bytes_max < 64 << 10, "{spent:?}");
}

#[test]
fn the_buffer_is_used_again() {
    let stream = message(7, &[1; 1000]).repeat(4);
    let mut reader = reader(&stream[..]);
    reader.read_message().unwrap();
    let spent = allocation_counter::measure(|| {
        for _ in 0..3 {
            assert_eq!(reader.read_message().unwrap().unwrap().len(), 1010);
        }
    });
    assert_eq!(spent.count_total, 0);
}
