//! Names for things: a short hash that is the same in every process and version (FNV-1a, 64 bits). No secret hangs on
//! it.

/// The hash of some bytes.
pub fn of(bytes: &[u8]) -> u64 {
    more(0xcbf2_9ce4_8422_2325, bytes)
}

/// Goes on with a hash.
pub fn more(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
