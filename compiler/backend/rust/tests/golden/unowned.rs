//! Types that are made without their owned form: what is left of them does the same.

use golden::shapes;
use golden::unowned::shapes::{
    Everything, EverythingRef, EverythingView, MessageRef, MessageView, Point, Scalars,
};

use crate::sample::everything;

#[test]
fn forms_without_the_owned_one_read_and_write_the_same_bytes() {
    let bytes = everything().encode_to_vec().unwrap();
    let borrowed = EverythingRef::decode(&bytes).unwrap();
    assert_eq!(borrowed.encode_to_vec().unwrap(), bytes);
    let view = EverythingView::new(&bytes).unwrap();
    assert!(EverythingRef::from(view) == borrowed);
    assert_eq!(view.as_bytes(), bytes);
}

#[test]
fn forms_without_the_owned_one_refuse_the_same() {
    let bytes = everything().encode_to_vec().unwrap();
    for cut in 0..bytes.len() {
        let want = shapes::Everything::decode(&bytes[..cut]).unwrap_err();
        let got = EverythingRef::decode(&bytes[..cut]).map(drop);
        assert_eq!(got, Err(want.clone()));
        assert_eq!(EverythingView::new(&bytes[..cut]).map(drop), Err(want));
    }
}

#[test]
fn the_name_of_a_type_without_its_owned_form_has_its_constants() {
    assert_eq!(Everything::TYPE_ID, shapes::Everything::TYPE_ID);
    assert_eq!(Everything::FINGERPRINTS, shapes::Everything::FINGERPRINTS);
    assert_eq!(Everything::layout(), shapes::Everything::layout());
}

#[test]
fn messages_without_owned_forms_are_dispatched() {
    let bytes = everything().message_to_vec().unwrap();
    let borrowed = MessageRef::decode(&bytes).unwrap();
    let mut again = Vec::new();
    borrowed.append_message(&mut again).unwrap();
    assert_eq!(again, bytes);
    assert!(matches!(
        MessageView::decode(&bytes),
        Ok(MessageView::Everything(_))
    ));
}

#[test]
fn types_that_borrow_nothing_keep_their_one_form() {
    let point = Point { x: 1.0, y: 2.0 };
    let bytes = point.encode_to_vec().unwrap();
    assert!(Point::decode(&bytes).unwrap() == point);
    assert!(Scalars::decode(&[]).is_err());
}
