use mxp::frame::{Checksum, Error, Frame, Header, Kind, Type, PAYLOAD_BYTES};

use crate::build::{frame_bytes, payload, refused, Raw, LENGTHS};

/// The bytes that are sent of a payload that lies in pieces.
fn vectored(header: Header, pieces: &[&[u8]], checksum: Checksum) -> Vec<u8> {
    let sealed = header.seal_pieces(pieces, checksum).unwrap();
    [&sealed.header, &pieces.concat()[..], &sealed.trailer].concat()
}

#[test]
fn every_way_gives_the_same_bytes() {
    for n in LENGTHS {
        let payload = payload(n);
        let raw = Raw::new(&payload);
        let Frame { header, .. } = raw.frame();
        for checksum in [Checksum::On, Checksum::Off] {
            let mut want = raw.bytes();
            if checksum == Checksum::Off {
                want[32 + n..].fill(0);
            }
            assert_eq!(raw.frame().encoded_bytes(), want.len());
            assert_eq!(raw.frame().encode_to_vec(checksum).unwrap(), want);

            let mut slice = vec![0xaa; n + 43];
            let used = raw.frame().encode_to_slice(&mut slice, checksum).unwrap();
            assert_eq!((used, &slice[..used]), (n + 40, &want[..]));
            assert_eq!(slice[used..], [0xaa; 3]);

            let mut vec = b"before".to_vec();
            raw.frame().append(&mut vec, checksum).unwrap();
            assert_eq!(vec, [b"before", &want[..]].concat());

            let sealed = header.seal(&payload, checksum).unwrap();
            let parts = [&sealed.header[..], &payload, &sealed.trailer];
            assert_eq!(parts.concat(), want);

            let (a, b) = payload.split_at(n / 3);
            let (b, c) = b.split_at(n / 2);
            assert_eq!(vectored(header, &[a, b, c], checksum), want);
            let bytes: Vec<&[u8]> = payload.chunks(1).collect();
            assert_eq!(vectored(header, &bytes, checksum), want);
            let empty = [b"", &payload[..], b"", b""];
            assert_eq!(vectored(header, &empty, checksum), want);
        }
    }
    let none = Header::new(Type::Ping);
    assert_eq!(vectored(none, &[], Checksum::On).len(), 40);
}

#[test]
fn short_buffers_are_refused_and_stay() {
    for n in [0, 1, 64, 300] {
        let raw = Raw::new(&payload(n));
        for size in 0..n + 40 {
            let mut buffer = vec![0xaa; size];
            let got = raw.frame().encode_to_slice(&mut buffer, Checksum::On);
            assert_eq!(got, Err(Error::new(Kind::BufferTooSmall)));
            assert_eq!(buffer, vec![0xaa; size]);
        }
    }
}

#[test]
fn payloads_of_16_mib_are_the_longest() {
    let mut payload = payload(PAYLOAD_BYTES);
    let want = frame_bytes(PAYLOAD_BYTES);
    let header = Raw::new(b"").frame().header;
    let frame = Frame {
        header,
        payload: &payload,
    };
    assert_eq!(frame.encode_to_vec(Checksum::On).unwrap(), want);
    let (a, b) = payload.split_at(1000);
    assert_eq!(vectored(header, &[a, b], Checksum::On), want);

    payload.push(0);
    let frame = Frame {
        header,
        payload: &payload,
    };
    for checksum in [Checksum::On, Checksum::Off] {
        assert_eq!(frame.encode_to_vec(checksum), refused(Kind::TooLarge, 24));
        // That is said of a short buffer too.
        for mut buffer in [vec![0xaa; 10], vec![0xaa; payload.len() + 40]] {
            let got = frame.encode_to_slice(&mut buffer, checksum);
            assert_eq!(got, refused(Kind::TooLarge, 24));
            assert!(buffer.iter().all(|byte| *byte == 0xaa));
        }
        let mut vec = b"before".to_vec();
        assert_eq!(
            frame.append(&mut vec, checksum),
            refused(Kind::TooLarge, 24)
        );
        assert_eq!(vec, b"before");
        assert_eq!(header.seal(&payload, checksum), refused(Kind::TooLarge, 24));
        let (a, b) = payload.split_at(5);
        assert_eq!(
            header.seal_pieces(&[a, b], checksum),
            refused(Kind::TooLarge, 24)
        );
    }
}

#[test]
fn the_sum_of_pieces_does_not_wrap_around() {
    let piece = vec![0; 1 << 20];
    let pieces = vec![&piece[..]; 1 << 12];
    let header = Header::new(Type::Event);
    assert_eq!(
        header.seal_pieces(&pieces, Checksum::On),
        refused(Kind::TooLarge, 24)
    );
}
