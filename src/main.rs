//! The hook's fast path, else the command line; the one place that prints errors and exits.

fn main() {}
