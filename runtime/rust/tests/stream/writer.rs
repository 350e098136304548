use std::io::ErrorKind;

use sdp::{Kind, MessageReader, MessageWriter, StreamError};

use crate::package::{message, Message, BLOB_LAYOUT};
use crate::sources::{Failing, Full, Trickle};

fn messages() -> [Message; 3] {
    [
        Message::Blob(b"abc".to_vec()),
        Message::Empty,
        Message::Blob(vec![]),
    ]
}

#[test]
fn what_was_written_is_read() {
    let mut writer = MessageWriter::new(Vec::new());
    for message in messages() {
        writer.write(&message).unwrap();
    }
    let stream = writer.into_inner();
    let read: Result<Vec<Message>, _> = MessageReader::new(&stream[..]).collect();
    assert_eq!(read.unwrap(), messages());
}

/// [WIRE-11.7]
#[test]
fn a_preamble_stands_in_front_of_messages() {
    let mut writer = MessageWriter::new(Vec::new());
    writer.write_preamble(7, BLOB_LAYOUT).unwrap();
    let header = [
        b"SDPS\x07\0".as_slice(),
        &[u8::try_from(BLOB_LAYOUT.len()).unwrap(), 0, 0, 0],
    ]
    .concat();
    writer.write(&messages()[0]).unwrap();
    let stream = writer.into_inner();
    let preamble = [header.as_slice(), BLOB_LAYOUT.as_bytes()].concat();
    assert_eq!(stream, [preamble, message(7, b"abc")].concat());
    let read: Vec<Message> = MessageReader::new(&stream[..])
        .map(Result::unwrap)
        .collect();
    assert_eq!(read, messages()[..1]);
}

#[test]
fn a_layout_text_over_the_limit_writes_nothing() {
    let mut writer = MessageWriter::new(Vec::new());
    let longest = "x".repeat(sdp::LAYOUT_TEXT_BYTES);
    let refused = writer
        .write_preamble(7, &(longest.clone() + "x"))
        .unwrap_err();
    assert!(matches!(&refused, StreamError::Refused(error) if error.kind == Kind::ValueTooLarge));
    writer.write_preamble(7, &longest).unwrap();
    assert_eq!(writer.into_inner().len(), 10 + longest.len());
}

#[test]
fn a_sink_may_trickle_and_be_interrupted() {
    let mut writer = MessageWriter::new(Trickle::new(Vec::new()));
    writer.write(&messages()[0]).unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.into_inner().inner, message(7, b"abc"));
}

#[test]
fn a_refused_message_writes_nothing() {
    let mut writer = MessageWriter::new(Vec::new());
    let refused = writer.write(&Message::Blob(vec![0xff])).unwrap_err();
    assert!(matches!(&refused, StreamError::Refused(error) if error.kind == Kind::ValueInvalid));
    writer.write(&Message::Empty).unwrap();
    assert_eq!(writer.into_inner(), message(8, b""));
}

#[test]
fn a_failing_sink_is_reported() {
    for n in [0, 5, 12] {
        let mut writer = MessageWriter::new(Failing(n));
        let error = writer.write(&messages()[0]).unwrap_err();
        let reset = matches!(&error, StreamError::Io(e) if e.kind() == ErrorKind::ConnectionReset);
        assert!(reset, "{error}");
    }
    let mut writer = MessageWriter::new(Failing(13));
    writer.write(&messages()[0]).unwrap();
    assert_eq!(
        writer.flush().unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    let error = MessageWriter::new(Full).write(&Message::Empty).unwrap_err();
    assert!(matches!(&error, StreamError::Io(e) if e.kind() == ErrorKind::WriteZero));
}
