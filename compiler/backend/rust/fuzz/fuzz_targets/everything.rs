#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| golden_fuzz::everything(data));
