//! `unattended` keeps Claude Code runs moving when nobody is there to answer, and shows what was decided without them.
//!
//! Data flows one way: standard input -> [`input`] -> [`wire`] -> [`event`] -> [`decide`] -> [`reply`] -> standard
//! output -> [`record`] -> [`journal`].
//!
//! | pure: no file, clock or environment | the edge: files, clock, environment, streams |
//! |---|---|
//! | [`wire`], [`event`], [`question`], [`config`], [`switch`], [`mask`], [`memory`], [`decide`], [`answer`], [`answered`], [`closing`], [`prose`], [`correction`], [`assumption`], [`guidance`], [`reply`], [`record`], [`request`], [`hash`], [`settings`], [`doctor`], [`run`], [`replay`], [`explain`], [`statusline`] | [`paths`], [`policy`], [`store`], [`journal`], [`history`], [`project`], [`transcript`], [`reviews`], [`review`], [`tally`], [`retention`], [`lines`], [`state`], [`files`], [`lock`], [`ledger`], [`pending`], [`outcome`], [`tail`], [`folder_watch`], [`settings_file`], [`client`], [`clock`], [`executable`], [`input`], [`room`], [`streams`], [`standing`], [`program`], [`wiring`], [`doctor::gather`], [`doctor::fix`], [`run::input`], [`run::follow`], [`run::session`], [`run::keeper`], [`run::lineage`] |
//!
//! Imports go one way as well: pure modules import pure ones alone; the edge imports both; [`commands`] import all of
//! these, one verb a file; `main` alone imports `commands` and `cli`.

pub mod answer;
pub mod answered;
pub mod assumption;
pub mod cli;
pub mod client;
pub mod clock;
pub mod closing;
pub mod commands;
pub mod config;
pub mod correction;
pub mod decide;
pub mod doctor;
pub mod event;
pub mod executable;
pub mod explain;
pub mod files;
pub mod folder_watch;
pub mod guidance;
pub mod hash;
pub mod history;
pub mod input;
pub mod journal;
pub mod ledger;
pub mod lines;
pub mod lock;
pub mod mask;
pub mod memory;
pub mod outcome;
pub mod paths;
pub mod pending;
pub mod policy;
pub mod program;
pub mod project;
pub mod prose;
pub mod question;
pub mod record;
pub mod replay;
pub mod reply;
pub mod request;
pub mod retention;
pub mod review;
pub mod reviews;
pub mod room;
pub mod run;
pub mod settings;
pub mod settings_file;
pub mod standing;
pub mod state;
pub mod statusline;
pub mod store;
pub mod streams;
pub mod switch;
pub mod tail;
pub mod tally;
pub mod transcript;
pub mod trouble;
pub mod when;
pub mod wire;
pub mod wiring;
