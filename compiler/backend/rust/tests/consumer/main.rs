//! Code that uses one release of a schema compiles with the next one's.

use golden::{v1 as first, v2 as second};

/// The consumer, compiled with the first release.
mod v1 {
    use golden::v1::evolution;

    include!("consumer.rs");
}

/// The same source, compiled with the second release.
mod v2 {
    use golden::v2::evolution;

    include!("consumer.rs");
}

#[test]
fn releases_read_each_other() {
    let old = first::evolution::Registry::new().with_total(7);
    let read = second::evolution::Registry::decode(&old.encode_to_vec().unwrap()).unwrap();
    assert_eq!((read.total, &*read.host, read.scanned), (7, "x", None));

    let new = second::evolution::Session::new().with_tempo(99);
    let kept = first::evolution::Session::decode(&new.encode_to_vec().unwrap()).unwrap();
    assert_eq!(kept.unknown_fields(), 99_u16.to_le_bytes());
    let back = second::evolution::Session::decode(&kept.encode_to_vec().unwrap()).unwrap();
    assert_eq!(back, new);
}
