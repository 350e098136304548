use std::vec::Vec;

use tokio::io::AsyncReadExt as _;

use super::*;

/// Reads what is cut of frames, in rooms of a length.
async fn cut(frames: &[u8], room: usize) -> io::Result<Vec<u8>> {
    let all = [b"GET\r\n\r\n", frames].concat();
    let mut cut = Cut::new(&all[..], Head::of_request());
    let mut read = Vec::new();
    let mut piece = vec![0; room];
    loop {
        match cut.read(&mut piece).await? {
            0 => return Ok(read.split_off(7)),
            n => read.extend_from_slice(&piece[..n]),
        }
    }
}

fn frame(first: u8, mask: Option<[u8; 4]>, bytes: usize) -> Vec<u8> {
    let opcode = OpCode::from(first & 15);
    let is_final = first & 0x80 != 0;
    let header = FrameHeader {
        is_final,
        opcode,
        mask,
        ..FrameHeader::default()
    };
    let mut frame = Vec::new();
    header.format(bytes as u64, &mut frame).unwrap();
    frame.extend((0..bytes).map(|i| u8::try_from(i % 251).unwrap()));
    frame
}

/// Short messages go through as they are.
#[tokio::test]
async fn short_messages_are_not_cut() {
    let mask = Some([1, 2, 3, 4]);
    let frames = [
        frame(0x82, mask, 0),
        frame(0x82, mask, 1),
        frame(0x89, mask, 125),
        frame(0x81, None, 300),
        frame(0x82, mask, 1000),
        frame(0x88, mask, 2),
    ];
    for room in [1, 3, 14, 100, 1 << 20] {
        assert_eq!(cut(&frames.concat(), room).await.unwrap(), frames.concat());
    }
}

/// The payloads of messages, without their masks, and the length of each.
fn messages(mut frames: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut came, mut lengths) = (Vec::new(), Vec::new());
    while !frames.is_empty() {
        let mut cursor = Cursor::new(frames);
        let (header, bytes) = FrameHeader::parse(&mut cursor).unwrap().unwrap();
        assert_eq!(header.opcode, OpCode::Data(Data::Binary));
        assert!(header.is_final);
        let at = usize::try_from(cursor.position()).unwrap();
        let (payload, rest) = frames[at..].split_at(usize::try_from(bytes).unwrap());
        let mask = header.mask.unwrap_or_default();
        let mask = mask.iter().cycle();
        came.extend(payload.iter().zip(mask).map(|(byte, mask)| byte ^ mask));
        lengths.push(payload.len());
        frames = rest;
    }
    (came, lengths)
}

/// A long frame becomes messages, whose payloads follow each other as they were.
#[tokio::test]
async fn long_messages_are_cut() {
    let long = frame(0x82, Some([1, 2, 3, 4]), 100_003);
    for room in [1, 1000, 1 << 20] {
        let (came, lengths) = messages(&cut(&long, room).await.unwrap());
        assert_eq!(came, messages(&long).0);
        assert!(
            lengths.iter().all(|n| (1..=MESSAGE_BYTES).contains(n)),
            "{lengths:?}"
        );
    }
}

/// The beginning of a frame does not wait for the rest.
#[tokio::test]
async fn pieces_are_read_as_they_come() {
    let long = frame(0x82, Some([1, 2, 3, 4]), 300);
    let all = [b"GET\r\n\r\n", &long[..]].concat();
    for first in 15..all.len() {
        let (now, later) = all.split_at(first);
        let mut cut = Cut::new(now.chain(later), Head::of_request());
        let mut read = vec![0; 1000];
        assert_eq!(cut.read(&mut read).await.unwrap(), 7);
        let mut n = cut.read(&mut read).await.unwrap();
        let come = first - 15;
        if come > 0 {
            assert_eq!(messages(&read[..n]).1, [come]);
        }
        while messages(&read[..n]).1.iter().sum::<usize>() < 300 {
            n += cut.read(&mut read[n..]).await.unwrap();
        }
        assert_eq!(messages(&read[..n]).0, messages(&long).0);
    }
}

/// The frames of a message are messages of its kind, also where others are between them.
#[tokio::test]
async fn frames_of_a_message_are_messages() {
    let frames = [
        frame(0x02, None, 3),
        frame(0x89, None, 1),
        frame(0x00, None, 0),
        frame(0x80, None, 4),
        frame(0x01, None, 1),
        frame(0x80, None, 1),
    ];
    let messages = [
        frame(0x82, None, 3),
        frame(0x89, None, 1),
        frame(0x82, None, 0),
        frame(0x82, None, 4),
        frame(0x81, None, 1),
        frame(0x81, None, 1),
    ];
    let read = cut(&frames.concat(), 1 << 20).await.unwrap();
    assert_eq!(read, messages.concat());
}

/// A length takes no memory, and an invalid frame ends the connection.
#[tokio::test]
async fn headers_promise_what_they_like() {
    let endless = [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0, 7];
    let read = cut(&endless, 1 << 20).await.unwrap();
    assert_eq!(read, [0x82, 1, 7]);
    for bad in [
        frame(0x80, None, 1),
        [frame(0x02, None, 1), frame(0x82, None, 1)].concat(),
        frame(0x89, None, 126),
        vec![0x83, 0],
        vec![0x8B, 0],
    ] {
        assert!(cut(&bad, 1 << 20).await.is_err(), "{bad:?}");
    }
}

/// The text of an answer that opens no WebSocket is read as it is.
#[tokio::test]
async fn texts_of_answers_are_not_cut() {
    let answer = b"HTTP/1.1 403 Forbidden\r\n\r\nno, and nothing else";
    let mut cut = Cut::new(&answer[..], Head::of_answer());
    let mut read = Vec::new();
    cut.read_to_end(&mut read).await.unwrap();
    assert_eq!(read, answer);
}
