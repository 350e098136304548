#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mxp_fuzz::session::exercise(data));
