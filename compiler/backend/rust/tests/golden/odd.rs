//! Schemas may name fields like what generated code uses itself, and messages may
//! have no fields at all.

use golden::odd::{
    Arrays, Either, Holder, HolderRef, HolderView, Kept, Later, LaterRef, LaterView, Names,
    NamesRef, NamesView, Nothing, Only,
};

/// A value of which every string says which field it is.
fn names() -> Names {
    let text = |name: &str| String::from(name);
    Names {
        x: 1,
        x1: text("_1"),
        self_: 2,
        super_: text("super"),
        crate_: text("crate"),
        r#type: text("type"),
        n: text("n"),
        n_: text("other_n"),
        n__: Some(text("third_n")),
        run2: text("run2"),
        run: 3,
        inner: Some(text("inner")),
        some: Some(Box::new([Some(text("some")), None])),
        value: text("value"),
        values: Some(vec![text("values")]),
        item: vec![text("item")],
        item2: vec![None, Some(text("item2"))],
        entries2: [(1, text("entries2"))].into(),
        i: [text("i"), text("j")],
        payload: text("payload"),
        state: text("state"),
        view: text("view"),
        has2: text("has2"),
        at_n: text("at_n"),
        bytes: text("bytes"),
        unknown: text("unknown"),
    }
}

fn later() -> Later {
    Later::new()
        .with_x(1)
        .with_n("n".into())
        .with_n_("other_n".into())
        .with_self(2)
        .with_value("value".into())
        .with_clone("clone".into())
        .with_new("new".into())
        .with_run3(0.5)
}

fn kept() -> Kept {
    let mut kept = Kept::new();
    kept.set_unknown_fields(vec![1, 0, 0, 0, 9]);
    kept
}

fn holder() -> Holder {
    Holder {
        kept: kept(),
        history: vec![Kept::new(), kept()],
        both: [kept(), Kept::new()],
        maybe: Some(Box::new(kept())),
        by_number: [(7, kept())].into(),
        maybe_nothing: Some(Nothing {}),
        either: Either::Full(Box::new(kept())),
        only: Only::Full(Box::new(kept())),
        ..Holder::default()
    }
}

/// Encodes a value, and makes it again in every way.
macro_rules! comes_back {
    ($value:expr, $ty:ident, $borrowed:ident, $view:ident) => {
        let value = $value;
        let bytes = value.encode_to_vec().unwrap();
        assert_eq!(bytes.len(), value.encoded_size());
        assert_eq!($ty::decode(&bytes).unwrap(), value);
        let borrowed = $borrowed::decode(&bytes).unwrap();
        assert_eq!(borrowed, $borrowed::from(&value));
        assert_eq!($ty::from(&borrowed), value);
        let view = $view::new(&bytes).unwrap();
        assert_eq!($ty::from(view), value);
        assert_eq!($borrowed::from(view), borrowed);
        let mut again = $ty::default();
        again.decode_into(&bytes).unwrap();
        assert_eq!(again, value);
        #[cfg(feature = "serde")]
        assert_eq!($ty::from_json(&value.to_json().unwrap()).unwrap(), value);
    };
}

#[test]
fn fields_keep_apart_whatever_they_are_called() {
    comes_back!(names(), Names, NamesRef, NamesView);
    comes_back!(later(), Later, LaterRef, LaterView);
    let bytes = later().encode_to_vec().unwrap();
    let view = LaterView::new(&bytes).unwrap();
    assert_eq!((view.n(), view.n_(), view.new_()), ("n", "other_n", "new"));
    assert_eq!(view.as_bytes(), bytes);
}

#[test]
fn messages_without_fields_keep_what_they_do_not_know() {
    comes_back!(holder(), Holder, HolderRef, HolderView);
    let bytes = holder().encode_to_vec().unwrap();
    let view = HolderView::new(&bytes).unwrap();
    assert_eq!(view.kept().unknown_fields(), [1, 0, 0, 0, 9]);
    assert_eq!(Holder::decode_exact(&bytes).map_err(|e| e.path), {
        Err(String::from("kept"))
    });
}

#[test]
fn long_arrays_in_lists_are_decoded_into_what_is_there() {
    let mut value = Arrays::default();
    value.texts.push(core::array::from_fn(|i| i.to_string()));
    value.cells.push(Box::new([[7; 40]; 40]));
    value.tables[1][39][39] = 5;
    value.maybe = Some(value.texts.clone());
    let bytes = value.encode_to_vec().unwrap();
    let mut again = Arrays::default();
    again.decode_into(&bytes).unwrap();
    assert_eq!(again, value);
    assert_eq!(Arrays::decode(&bytes).unwrap(), value);
}
