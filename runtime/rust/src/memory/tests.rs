use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec;

use core::mem::align_of;

use super::*;
use crate::Fixed;

/// More than any length that is treated in a way of its own.
const LONG: usize = 70;

/// Every length; in Miri, which is slow, those around which the treatment changes.
fn lengths() -> impl Iterator<Item = usize> {
    let near = |n: usize| n < 4 || [0, 1].contains(&(n % 8)) && (n / 8).is_power_of_two();
    (0..LONG).filter(move |n| !cfg!(miri) || near(*n) || near(n + 1))
}

fn sample(n: usize) -> Vec<u8> {
    (0..n).map(|i| u8::try_from(i % 128).unwrap()).collect()
}

#[test]
fn writing_keeps_what_is_before_and_grows() {
    for capacity in lengths().filter(|n| *n < 40) {
        for n in lengths() {
            let mut out = Vec::with_capacity(capacity);
            out.extend_from_slice(b"before");
            let mut tail = Tail::of_vec(&mut out);
            assert!(tail.put(&[1u8, 2, 3]));
            assert!(tail.put_with(&[9u8; 2], &sample(n)));
            assert_eq!(tail.position(), 11 + n);
            tail.finish();
            let want = [b"before", &[1, 2, 3][..], &[9, 9], &sample(n)].concat();
            assert_eq!(out, want);
        }
    }
}

#[test]
fn a_slice_takes_what_fits_and_no_more() {
    for room in lengths() {
        for n in lengths() {
            let mut out = vec![0xAA; room];
            let mut tail = Tail::of_slice(&mut out);
            assert_eq!(tail.put_with(&[7u8], &sample(n)), n < room);
            let written = tail.position();
            tail.finish();
            assert_eq!(written, if n < room { n + 1 } else { 0 });
            assert!(out[written..].iter().all(|byte| *byte == 0xAA));
        }
    }
}

#[test]
fn elements_are_written_in_order() {
    let mut out = vec![0xFF];
    let mut tail = Tail::of_vec(&mut out);
    assert!(tail.put_each(&[1u16, 2, 3], |n| n.to_le_bytes()));
    assert!(tail.put_each(&[[5u8; 3]; 2], |bytes| *bytes));
    assert!(tail.put_each::<u16, [u8; 2]>(&[], |n| n.to_le_bytes()));
    tail.finish();
    assert_eq!(out, [0xFF, 1, 0, 2, 0, 3, 0, 5, 5, 5, 5, 5, 5]);
    let mut small = [0; 3];
    assert!(!Tail::of_slice(&mut small).put_each(&[1u16, 2], |n| n.to_le_bytes()));
}

#[test]
fn only_bytes_that_were_written_are_replaced() {
    let mut out = Vec::new();
    let mut tail = Tail::of_vec(&mut out);
    assert!(tail.put(&[0u8; 6]));
    tail.patch(0, [1, 2, 3, 4]);
    tail.patch(2, [5, 6, 7, 8]);
    tail.patch(3, [9; 4]);
    tail.patch(usize::MAX, [9; 4]);
    tail.finish();
    assert_eq!(out, [1, 2, 5, 6, 7, 8]);
}

#[test]
fn bytes_are_placed_within_a_run_only() {
    let mut run = [0; 6];
    place(&mut run, 1, &[[1u8, 2], [3, 4]]);
    place(&mut run, 3, &[9u8; 4]);
    assert_eq!(run, [0, 1, 2, 3, 4, 0]);
    assert_eq!(slice(&[[1u8, 2], [3, 4]]), [1, 2, 3, 4]);
}

#[test]
fn ascii_is_text_and_every_other_byte_is_looked_at() {
    for n in lengths() {
        let bytes = sample(n);
        assert_eq!(text(&bytes).map(str::as_bytes), Some(&bytes[..]));
        for i in 0..n {
            let mut damaged = bytes.clone();
            damaged[i] = 0xFF;
            assert_eq!(text(&damaged), None, "byte {i} of {n}");
            let mut two = bytes.clone();
            two.splice(i..=i, "é".bytes());
            assert_eq!(text(&two), core::str::from_utf8(&two).ok());
            assert!(text(&two).is_some());
        }
    }
}

#[test]
fn text_is_taken_from_the_front_whatever_lies_behind_it() {
    for n in lengths() {
        for behind in [0, 1, LONG] {
            let bytes = [sample(n), vec![0xFF; behind]].concat();
            let mut rest = &bytes[..];
            let taken = take_text(&mut rest, n).map(str::as_bytes);
            assert_eq!((taken, rest), (Some(&bytes[..n]), &bytes[n..]));
            for i in 0..n {
                let mut damaged = bytes.clone();
                damaged[i] = 0xFF;
                assert_eq!(take_text(&mut &damaged[..], n), None, "byte {i} of {n}");
            }
            assert_eq!(take_text(&mut &bytes[..], n + behind + 1), None);
        }
    }
    let two = ["é".as_bytes(), &[b'x'; LONG]].concat();
    assert_eq!(take_text(&mut &two[..], 3), Some("éx"));
    assert_eq!(take_text(&mut &two[..], 1), None);
}

#[test]
fn strings_are_copied_whole() {
    for n in lengths() {
        let bytes = sample(n);
        let from = core::str::from_utf8(&bytes).unwrap();
        assert_eq!(string(from), from);
        assert_eq!(string(from).capacity(), n);
        for capacity in [0, 1, n, LONG] {
            let mut to = String::with_capacity(capacity);
            to.push('x');
            let memory = to.as_ptr();
            let fits = to.capacity() >= n;
            assign(&mut to, from);
            assert_eq!(to, from);
            assert_eq!(to.as_ptr() == memory, fits, "{n} bytes into {capacity}");
        }
    }
}

#[test]
fn numbers_lie_where_they_are_aligned() {
    let words = [1u32, 2, 3];
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for shift in 0..4 {
        let mut shifted = vec![0u8; shift];
        shifted.extend_from_slice(&bytes);
        let part = &shifted[shift..];
        let aligned = part.as_ptr() as usize % align_of::<u32>() == 0;
        assert_eq!(numbers::<u32>(part).is_some(), IS_LITTLE_ENDIAN && aligned);
        if let Some(numbers) = numbers::<u32>(part) {
            assert_eq!(numbers, words);
        }
        if IS_LITTLE_ENDIAN {
            let mut list = vec![7u32];
            extend(&mut list, part, AsWire::NUMBER.unwrap());
            assert_eq!(list, [7, 1, 2, 3]);
        }
    }
    assert_eq!(numbers::<u8>(&bytes), Some(&bytes[..]));
    assert_eq!(numbers::<u16>(&bytes[..3]), None);
}

#[test]
fn bools_are_bytes() {
    assert_eq!(bool_bytes(&[true, false, true]), [1, 0, 1]);
    assert!(bool_bytes(&[]).is_empty());
}

#[test]
fn numbers_are_written_as_they_lie() {
    let known = || AsWire::<u16>::NUMBER.unwrap();
    if !IS_LITTLE_ENDIAN {
        assert!(AsWire::<u16>::NUMBER.is_none() && AsWire::<u8>::NUMBER.is_some());
        return;
    }
    let mut out = vec![1];
    let mut tail = Tail::of_vec(&mut out);
    assert!(tail.put_as_wire(&[0x0302, 0x0504], known()));
    tail.finish();
    assert_eq!(out, [1, 2, 3, 4, 5]);
    assert!(!Tail::of_slice(&mut [0; 3]).put_as_wire(&[1, 2], known()));
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Corner {
    x: f32,
    at: [u16; 2],
}

crate::__fixed_struct! {
    Corner: 8, 1, 0 {
        x: f32,
        at: [u16; 2],
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    from: Corner,
    to: Corner,
}

crate::__fixed_struct! {
    Line: 16, 2, 0 {
        from: Corner,
        to: Corner,
    }
}

/// Its fields don't lie one behind the other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Padded {
    one: u8,
    four: u32,
}

crate::__fixed_struct! {
    Padded: 5, 1, 0 {
        one: u8,
        four: u32,
    }
}

/// Not every byte is a value of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Checked {
    on: bool,
    one: u8,
}

crate::__fixed_struct! {
    Checked: 2, 1, 0 {
        on: bool,
        one: u8,
    }
}

/// Writes values of `T`, reads them again, and says whether they lie as on the wire.
fn there_and_back<T: Fixed + Copy + core::fmt::Debug + PartialEq>(value: T, want: &[u8]) -> bool {
    let mut out = Vec::new();
    let mut w = crate::wire::Writer::of_vec(&mut out);
    w.fixed(&[value; 3], 1);
    w.finish();
    assert_eq!(out, want.repeat(3));
    assert!(T::sdp_all_valid(&out));
    let mut list = vec![value];
    T::sdp_extend(&mut list, &out);
    assert_eq!(list, [value; 4]);
    T::AS_WIRE.is_some()
}

#[test]
fn structs_without_gaps_lie_as_on_the_wire() {
    let (from, to) = (
        Corner { x: 1.0, at: [2, 3] },
        Corner {
            x: -0.0,
            at: [4, 5],
        },
    );
    let bytes = [0, 0, 0x80, 0x3F, 2, 0, 3, 0, 0, 0, 0, 0x80, 4, 0, 5, 0];
    assert_eq!(there_and_back(from, &bytes[..8]), IS_LITTLE_ENDIAN);
    assert_eq!(there_and_back(Line { from, to }, &bytes), IS_LITTLE_ENDIAN);
    assert_eq!(there_and_back([from, to], &bytes), IS_LITTLE_ENDIAN);
    assert!(!there_and_back(
        Padded { one: 7, four: 8 },
        &[7, 8, 0, 0, 0]
    ));
    assert!(!there_and_back(Checked { on: true, one: 9 }, &[1, 9]));
    assert!(Checked::CHECKED && !Checked::sdp_valid(&[2, 9]));
}

/// Binds every byte of the input, borrowed.
fn bound<B: Stable>(bytes: B) -> Bound<B, Vec<&'static u8>> {
    Bound::new(bytes, |bytes| Ok::<_, ()>(bytes.iter().collect())).unwrap()
}

fn sum<B: Stable>(bound: &Bound<B, Vec<&'static u8>>) -> u32 {
    bound.value().iter().map(|byte| u32::from(**byte)).sum()
}

#[test]
fn a_value_and_its_bytes_move_together() {
    let of_vec = bound(vec![1u8, 2, 3]);
    let moved = alloc::boxed::Box::new(of_vec);
    assert_eq!(sum(&moved), 6);
    assert_eq!(moved.into_bytes(), [1, 2, 3]);
    let shared: Arc<[u8]> = Arc::from([4u8, 5]);
    let of_arc = bound(Arc::clone(&shared));
    assert_eq!((sum(&of_arc), &**of_arc.bytes()), (9, &[4, 5][..]));
    assert_eq!(sum(&bound(&b"\x01\x02"[..])), 3);
    let refused = Bound::<_, ()>::new(vec![1u8], |bytes| Err(bytes.len().to_string()));
    assert_eq!(refused.err().as_deref(), Some("1"));
}

#[cfg(feature = "std")]
#[test]
fn a_value_and_its_bytes_go_to_another_thread() {
    let bound = bound(vec![1u8; 1000]);
    let thread = std::thread::spawn(move || sum(&bound));
    assert_eq!(thread.join().unwrap(), 1000);
}

#[cfg(feature = "bytes")]
#[test]
fn shared_bytes_are_owned_too() {
    let all = bytes::Bytes::from(vec![1u8, 2, 3, 4]);
    let bound = bound(all.slice(1..3));
    drop(all);
    assert_eq!(sum(&bound), 5);
}
