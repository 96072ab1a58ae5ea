//! A run that cannot be kept waiting: the client started with what an unattended run needs, watched, and ended with all
//! that it started. [`arguments`], [`surroundings`] and [`preflight`] are pure; the others are the edge.

pub mod arguments;
pub mod follow;
pub mod input;
pub mod preflight;
pub mod surroundings;

#[cfg(unix)]
pub mod keeper;
#[cfg(unix)]
pub mod lineage;
#[cfg(unix)]
pub mod session;
