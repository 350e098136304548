//! Clients and servers that are generated. The tests of the compiler write the files in `golden`.

mod blocking;
mod calls;
mod context;
mod many;
mod provided;
mod shop;
mod streams;
mod texts;
mod threads;

mod golden {
    pub mod golden_goods;
    pub mod golden_shop;
    pub mod golden_shop_service;
    #[deny(unused_imports)]
    pub mod texts;
    #[deny(unused_imports)]
    pub mod texts_service;
}
