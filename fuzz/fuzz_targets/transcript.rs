#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "shared by several targets")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::transcript(bytes));
