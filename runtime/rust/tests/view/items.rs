//! Lists of values of fixed size.

use std::borrow::Cow;

use sdp::view::{FixedArrayOf, Items, ItemsOf};
use sdp::wire;

const NUMBERS: &[u8] = b"\x03\x00\x01\x00\x02\x00\xff\xff\xee";

fn numbers(bytes: &[u8]) -> Items<'_, u16> {
    wire::read::<ItemsOf<2, u16>>(bytes)
}

#[test]
fn items_come_in_order_from_both_ends() {
    let items = numbers(NUMBERS);
    assert_eq!((items.len(), items.is_empty()), (3, false));
    assert_eq!(items.clone().collect::<Vec<_>>(), [1, 2, 0xffff]);
    assert_eq!(items.clone().rev().collect::<Vec<_>>(), [0xffff, 2, 1]);
    let mut both = items.clone();
    assert_eq!(
        (both.next(), both.next_back(), both.len()),
        (Some(1), Some(0xffff), 1)
    );
    assert_eq!(
        (both.next_back(), both.next(), both.next_back()),
        (Some(2), None, None)
    );
    assert!(both.is_empty());
    assert_eq!(format!("{items:?}"), "[1, 2, 65535]");
}

#[test]
fn items_are_found_by_their_number() {
    let items = numbers(NUMBERS);
    let found: Vec<_> = [0, 1, 2, 3, usize::MAX, usize::MAX / 2 + 1]
        .map(|index| items.get(index))
        .into();
    assert_eq!(found, [Some(1), Some(2), Some(0xffff), None, None, None]);
    for (index, want) in [
        (0, Some(1)),
        (2, Some(0xffff)),
        (3, None),
        (usize::MAX, None),
    ] {
        assert_eq!(items.clone().nth(index), want);
    }
    let mut rest = items;
    rest.next();
    assert_eq!(rest.get(0), Some(2));
}

#[test]
fn numbers_are_read_where_they_lie_if_they_are_aligned() {
    let mut room = vec![0; 2 * NUMBERS.len()];
    let even = room.as_ptr().align_offset(2);
    for at in even..even + 4 {
        let place = &mut room[at..at + NUMBERS.len()];
        place.copy_from_slice(NUMBERS);
        let items = numbers(place);
        let copy = items.to_cow();
        assert_eq!(*copy, [1, 2, 0xffff]);
        let borrows = (at - even) % 2 == 0 && cfg!(target_endian = "little");
        assert_eq!(items.as_slice().is_some(), borrows);
        assert_eq!(matches!(copy, Cow::Borrowed(_)), borrows);
    }
}

#[test]
fn bytes_of_numbers_are_always_read_where_they_lie() {
    let items = wire::read::<ItemsOf<1, i8>>(b"\x02\x01\xff\xee");
    assert_eq!(items.as_slice(), Some(&[1, -1][..]));
}

#[test]
fn arrays_have_no_count() {
    let mut rest = &b"\x01\x00\x02\x00\xee"[..];
    let items = wire::next::<FixedArrayOf<2, u16>>(&mut rest);
    assert_eq!(items.collect::<Vec<_>>(), [1, 2]);
    assert_eq!(rest, b"\xee");
}
