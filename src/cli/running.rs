//! The command line of the verbs that start a run and look at what stands in its way: clap types, nothing else.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::doctor::Check;

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only these checks
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub only: Vec<Check>,
    /// Register our hooks anew and make our folder private, where that is what is wrong
    #[arg(long)]
    pub fix: bool,
    /// Let warnings, and what could not be found out, count as failures
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Do not start MCP servers
    #[arg(long)]
    pub no_mcp: bool,
    /// As long as the MCP servers may take to answer
    #[arg(long, value_name = "DURATION", default_value = "60s")]
    pub mcp_timeout: String,
    /// Servers that a run gets besides, as for `claude --mcp-config`
    #[arg(long, value_name = "FILE")]
    pub mcp_config: Vec<String>,
    /// The client [default: claude on PATH]
    #[arg(long, value_name = "PATH")]
    pub client: Option<PathBuf>,
}

/// `run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// End it after so long without output, transcript or hook
    #[arg(long, value_name = "DURATION")]
    pub max_silence: Option<String>,
    /// End it after so long
    #[arg(long, value_name = "DURATION")]
    pub max_time: Option<String>,
    /// Start at once, without looking at what would keep it waiting
    #[arg(long)]
    pub no_preflight: bool,
    /// Do not start MCP servers beforehand
    #[arg(long)]
    pub no_mcp: bool,
    /// As long as the MCP servers may take to answer beforehand
    #[arg(long, value_name = "DURATION", default_value = "60s")]
    pub mcp_timeout: String,
    /// The client [default: claude on PATH]
    #[arg(long, value_name = "PATH")]
    pub client: Option<PathBuf>,
    /// What the client is given; -p is added
    #[arg(last = true, value_name = "CLAUDE_ARGS")]
    pub args: Vec<OsString>,
}

/// `keep-client`
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// The process that asks for it
    #[arg(long)]
    pub parent: u32,
    /// The client and its arguments
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}
