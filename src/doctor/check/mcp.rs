//! `mcp`: servers that a run would miss, each with its remedy.

use super::words;
use crate::client::Version;
use crate::doctor::facts::{Facts, Listing, Mcp, Server};
use crate::doctor::listing::{self, Status, TELLS_APPROVAL};
use crate::doctor::{Check, Finding, State};

const CHECK: Check = Check::Mcp;

/// From here on there is `claude mcp login` (2.1.150 has none).
const HAS_LOGIN: Version = Version(2, 1, 198);

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let Some(mcp) = &facts.mcp else { return Vec::new() };
    let mut findings: Vec<Finding> = mcp.troubles.iter().map(|(from, why)| unread(from, why)).collect();
    let known: Vec<&str> = mcp.servers.iter().map(|server| server.name.as_str()).collect();
    let text = match &mcp.listing {
        Listing::Whole(text) | Listing::Cut(text, _) => text.as_str(),
        Listing::NotRun(_) => "",
    };
    let mut listed = listing::read(text, &known);
    let unlisted = mcp.servers.iter().filter(|server| !listed.iter().any(|(name, _)| *name == server.name));
    let unlisted: Vec<&Server> = unlisted.collect();
    match &mcp.listing {
        Listing::Cut(_, limit) => findings.push(cut(facts, &unlisted, limit.as_secs())),
        _ => findings.extend(unlisted.iter().map(|server| not_listed(facts, mcp, server))),
    }
    let mut answering = 0;
    for (name, status) in &mut listed {
        let server = mcp.servers.iter().find(|server| server.name == *name);
        let tells = facts.version().is_some_and(|version| version >= TELLS_APPROVAL);
        match server {
            Some(server) if server.disabled && !tells => *status = Status::Disabled,
            // In the copy in which the listing runs it may have been turned off by us.
            Some(server) if server.pending && (!tells || *status == Status::Disabled) => *status = Status::Pending,
            _ => {}
        }
        match of(facts, name, status, server) {
            Some(finding) => findings.push(finding.of(name.clone())),
            None => answering += usize::from(*status == Status::Connected),
        }
    }
    for finding in &mut findings {
        let optional = |name: &String| facts.policy.config.doctor.optional_servers.contains(name);
        if finding.state == State::Failure && finding.subject.as_ref().is_some_and(optional) {
            finding.state = State::Warning;
        }
    }
    if let Listing::NotRun(why) = &mcp.listing {
        let finding = format!("the MCP servers were not asked: {}", words::first_line(why));
        findings.push(Finding::bad(CHECK, "not-run", State::Unknown, finding, "claude mcp list"));
    }
    super::or_ok(findings, || {
        let said = match answering {
            0 => "no MCP server is configured".to_owned(),
            1 => "the one MCP server answers".to_owned(),
            many => format!("{many} MCP servers answer"),
        };
        Finding::ok(CHECK, "answer", said)
    })
}

/// `None` where nothing is to be said.
fn of(facts: &Facts, name: &str, status: &Status, server: Option<&Server>) -> Option<Finding> {
    let get = format!("see claude mcp get {0}, or take it out: claude mcp remove {0}", words::quoted(name));
    Some(match status {
        Status::Connected | Status::Disabled => return None,
        Status::NeedsLogin => needs_login(facts, name, server),
        Status::Pending => {
            let from = server.map_or(".mcp.json", |server| server.from.as_str());
            let finding =
                format!("{name} ({from}) is not approved yet: a terminal session asks, and others go without it");
            let remedy =
                "start claude here once and decide, or list it in enabledMcpjsonServers of .claude/settings.local.json";
            Finding::bad(CHECK, "pending", State::Failure, finding, remedy)
        }
        Status::Failed(reason) => {
            let reason = reason.as_deref().map(words::first_line).filter(|reason| !reason.is_empty());
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            Finding::bad(CHECK, "failed", State::Failure, format!("{name} does not answer{reason}"), get)
        }
        Status::Lame => {
            Finding::bad(CHECK, "lame", State::Warning, format!("{name} answers, but its tools cannot be had"), get)
        }
        Status::Else(said) => {
            let finding = format!("the client says of {name}: {}", words::first_line(said));
            Finding::bad(CHECK, "else", State::Unknown, finding, "see what that means: claude mcp list")
        }
    })
}

/// A server whose token has ended may well renew it by itself; the listing had nothing to renew it by.
fn needs_login(facts: &Facts, name: &str, server: Option<&Server>) -> Finding {
    let token = facts.credentials.servers.iter().find(|token| token.server == name);
    if token.is_some_and(|token| token.renewable && token.expires.is_none_or(|expires| expires <= facts.now)) {
        let finding =
            format!("the token of {name} has ended; the client renews it at its next start, which is not tried here");
        return Finding::bad(
            CHECK,
            "token-ended",
            State::Unknown,
            finding,
            "claude mcp list renews it; then ask again",
        );
    }
    if facts.keychain {
        let finding = format!("{name} wants a login; one that is kept in the keychain is not seen here");
        return Finding::bad(CHECK, "needs-login", State::Unknown, finding, "claude mcp list");
    }
    let own =
        server.is_some_and(|server| facts.told.file.as_deref().is_none_or(|file| facts.shown(file) != server.from));
    let project = server.is_some_and(|server| server.from.ends_with(".mcp.json"));
    let can_login = facts.version().is_none_or(|version| version >= HAS_LOGIN) && (!own || project);
    let remedy = if can_login {
        format!("claude mcp login {}", words::quoted(name))
    } else {
        "start claude with it and log in under /mcp".to_owned()
    };
    Finding::bad(CHECK, "needs-login", State::Failure, format!("{name} wants a person to log in"), remedy)
}

/// The listing was ended. The client tells of the servers only once it has asked all of them.
fn cut(facts: &Facts, unlisted: &[&Server], limit: u64) -> Finding {
    let asked = unlisted.iter().filter(|server| !server.disabled).map(|server| server.name.clone());
    let asked: Vec<String> = asked.collect();
    let optional = |name: &String| facts.policy.config.doctor.optional_servers.contains(name);
    let state = if !asked.is_empty() && asked.iter().all(optional) { State::Warning } else { State::Failure };
    let of = if asked.is_empty() { String::new() } else { format!("; one of these keeps it: {}", words::list(&asked)) };
    let finding = format!("`claude mcp list` did not end within {limit} s and was ended{of}");
    Finding::bad(
        CHECK,
        "no-answer",
        state,
        finding,
        "ask longer (--mcp-timeout 3m), or one by one: claude mcp get NAME",
    )
}

/// A server that is configured, and of which the listing says nothing.
fn not_listed(facts: &Facts, mcp: &Mcp, server: &Server) -> Finding {
    let name = &server.name;
    if server.disabled {
        return Finding::ok(CHECK, "disabled", format!("{name} is turned off")).of(name);
    }
    let pending = server.pending.then(|| of(facts, name, &Status::Pending, Some(server))).flatten();
    let finding = pending.unwrap_or_else(|| match &mcp.listing {
        Listing::NotRun(_) if mcp.needed_login.contains(name) => {
            let finding = format!("{name} was not asked; it wanted a login when the client last tried");
            Finding::bad(
                CHECK,
                "needed-login",
                State::Unknown,
                finding,
                format!("claude mcp login {}", words::quoted(name)),
            )
        }
        Listing::NotRun(_) => {
            let finding = format!("{name} is configured in {}; whether it answers is not known", server.from);
            Finding::bad(CHECK, "not-asked", State::Unknown, finding, "claude mcp list")
        }
        Listing::Whole(_) | Listing::Cut(..) => {
            let finding = format!("{name} is configured in {}, and the client does not list it", server.from);
            Finding::bad(CHECK, "skipped", State::Unknown, finding, "see why: claude mcp list")
        }
    });
    finding.of(name)
}

fn unread(from: &str, why: &str) -> Finding {
    let finding = format!("{from} cannot be read: {}", words::first_line(why));
    Finding::bad(CHECK, "unread-config", State::Failure, finding, "correct it, or take it away").of(from)
}
