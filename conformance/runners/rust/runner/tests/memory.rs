//! The memory of encoding, decoding and reading streams.

use std::io::{Cursor, Read};

use generated::budgets::budgets;
use generated::defaults::defaults;
use generated::framed::framed;
use generated::maps::maps;
use generated::texts::texts;
use generated::unions::unions;
use sdp::{Error, Kind, MessageReader, StreamError};

// [WIRE-9.3]
#[cfg(target_pointer_width = "64")]
#[test]
fn payloads_beyond_32_bits_are_refused() {
    // They are never written, so that the system need not provide them.
    let most = vec![0; 1 << 32];
    let longest = &most[1..];
    let text = std::str::from_utf8(longest).unwrap();
    let too_large = |path: &str| {
        let mut error = Error::new(Kind::ValueTooLarge);
        error.path = path.into();
        error
    };
    let (tag, payload) = (15, &most[..]);
    let union = unions::EventRef::Unknown { tag, payload };
    assert_eq!(union.validate(), Err(too_large("")));
    assert_eq!(union.encode_to_slice(&mut [0; 100]), Err(too_large("")));
    let blob = texts::BlobRef { v: &most };
    assert_eq!(blob.validate(), Err(too_large("v")));
    let message = defaults::ZerosRef::new().with_note(defaults::NoteRef::new().with_text(text));
    assert_eq!(message.validate(), Err(too_large("note")));
    assert_eq!(
        message.encode_to_slice(&mut [0; 100]),
        Err(too_large("note"))
    );
    let (tag, payload) = (9, longest);
    let framed = framed::EventRef::Unknown { tag, payload };
    assert_eq!(framed.validate(), Ok(()));
    assert_eq!(framed.message_to_slice(&mut [0; 100]), Err(too_large("")));
}

// [WIRE-11.6]
#[test]
fn stream_buffers_grow_with_what_is_received() {
    let mut bytes = b"SDP2\x02\0".to_vec();
    bytes.extend_from_slice(&(128_u32 << 20).to_le_bytes());
    bytes.extend_from_slice(&[0; 100]);
    let mut result = Ok(None);
    let cost = allocation_counter::measure(|| {
        result = MessageReader::<_, budgets::Message>::new(&bytes[..]).read();
    });
    let Err(StreamError::Refused(error)) = result else {
        panic!("{result:?}");
    };
    assert_eq!(error.kind, Kind::Truncated);
    assert!(cost.bytes_total < 1 << 20, "{cost:?}");
}

// [WIRE-11.6]
#[test]
fn skipped_messages_are_not_held() {
    const LENGTH: u32 = 16 << 20;
    let mut header = b"SDP2\xff\xfe".to_vec();
    header.extend_from_slice(&LENGTH.to_le_bytes());
    let source = Cursor::new(header).chain(std::io::repeat(0).take(LENGTH.into()));
    let mut reader = MessageReader::<_, budgets::Message>::new(source);
    let mut results = Vec::new();
    let cost = allocation_counter::measure(|| results.extend([reader.read(), reader.read()]));
    assert!(
        matches!(&results[..], [Err(StreamError::Refused(error)), Ok(None)] if error.kind == Kind::TypeIdUnknown),
        "{results:?}"
    );
    assert!(cost.bytes_total < 1 << 20, "{cost:?}");
}

// [WIRE-3.6]
#[test]
fn counts_are_refused_before_memory_is_allocated() {
    const BYTES: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0];
    fn check<T>(decode: impl FnOnce() -> Result<T, Error>) {
        let mut refused = false;
        let cost = allocation_counter::measure(|| refused = decode().is_err());
        assert!(refused && cost.bytes_total < 64 << 10, "{cost:?}");
    }
    macro_rules! check {
        ($($owned:ty, $borrowed:ty;)*) => {$(
            check(|| <$owned>::decode(BYTES));
            check(|| <$owned>::default().decode_into(BYTES));
            check(|| <$borrowed>::decode(BYTES));
        )*};
    }
    check! {
        texts::Text, texts::TextRef;
        texts::Blob, texts::BlobRef;
        budgets::Many, budgets::Many;
        budgets::Rows, budgets::RowsRef;
        budgets::Dictionary, budgets::DictionaryRef;
        unions::Many, unions::ManyRef;
        maps::ByU8, maps::ByU8;
    }
}
