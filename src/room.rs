//! The memory of a hook call, asked for at once and before anything else takes some. The standard library ends a process
//! to which the system refuses memory; asked for here, a refusal is an answer all the same. What is not used is never
//! touched and costs nothing. Does nothing but ask.

/// What a call on a payload of up to [`SMALL`] bytes needs at most, with all that can be made of it; in bytes. A little
/// less than a whole number of the allocator's steps of 64 KiB, so that its marks lie in one page.
const FIRST: usize = 1024 * 1024 - 256;
/// What most calls need; enough where the system has no more.
const LITTLE: usize = 256 * 1024 - 256;
/// A payload that is longer needs more, in bytes.
pub const SMALL: usize = 16 * 1024;
/// How much more a longer one needs at most, however long it is, in bytes: what is made of its texts is bounded. Below
/// the 2 MiB from which on the allocator gives back to the system what is not used.
const MORE: usize = 1900 * 1024;

/// Asks for the memory of a call; whether the system gives it.
pub fn first() -> bool {
    ask(FIRST) || ask(LITTLE)
}

/// Asks for what a payload of more than [`SMALL`] bytes needs besides; whether the system gives it.
pub fn more() -> bool {
    ask(MORE)
}

/// Has the allocator take so many bytes from the system in one piece, if it has not got them; it keeps them then, but for
/// more than 2 MiB. Whether the system gives them.
pub fn ask(bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let given = room.try_reserve_exact(bytes).is_ok();
    // The compiler takes out what nobody looks at.
    std::hint::black_box(&mut room);
    given
}
