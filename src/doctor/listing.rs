//! What `claude mcp list` prints, read by its words: glyphs, punctuation and reasons differ from version to version
//! (recorded: `tests/fixtures/mcp-list`). Pure.

use crate::client::Version;

/// From here on the listing tells of servers that are not approved or turned off; 2.1.150 starts them and says that they
/// are connected. Not tried in between.
pub const TELLS_APPROVAL: Version = Version(2, 1, 246);

/// What the client says of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It answers.
    Connected,
    /// It answers, but something with it is wrong.
    Lame,
    /// It wants a person to log in.
    NeedsLogin,
    /// It does not answer; the reason as the client gives it.
    Failed(Option<String>),
    /// It belongs to the project, and nobody has approved it yet.
    Pending,
    /// It is turned off.
    Disabled,
    /// Words that are not known here.
    Else(String),
}

/// The words by which a status begins, in small letters.
const WORDS: [(&str, Status); 8] = [
    ("connected", Status::Connected),
    ("needs authentication", Status::NeedsLogin),
    ("failed to connect", Status::Failed(None)),
    ("connection error", Status::Failed(None)),
    ("pending approval", Status::Pending),
    ("disabled", Status::Disabled),
    ("rejected", Status::Disabled),
    ("not configured", Status::Failed(None)),
];

/// The servers in a listing. `known` are names that may be in it: a name may itself hold a colon.
pub fn read(text: &str, known: &[&str]) -> Vec<(String, Status)> {
    text.lines().filter_map(|line| server(line, known)).collect()
}

/// `NAME: TARGET (HTTP) - ✘ Failed to connect — REASON`
fn server(line: &str, known: &[&str]) -> Option<(String, Status)> {
    let begins = |name: &&&str| line.strip_prefix(**name).is_some_and(|rest| rest.starts_with(": "));
    let name = known.iter().filter(begins).max_by_key(|name| name.len()).copied();
    let name = name.or_else(|| line.split_once(": ").map(|(name, _)| name))?;
    let rest = line.get(name.len()..)?;
    let said = rest.match_indices(" - ").filter_map(|(at, dash)| rest.get(at + dash.len()..));
    let status = said.clone().find_map(status).or_else(|| {
        // A line of a listing all the same, but with words from a later version.
        let last = said.last()?;
        let first = last.chars().next()?;
        (!first.is_ascii()).then(|| Status::Else(words(last).to_owned()))
    })?;
    Some((name.to_owned(), status))
}

fn status(said: &str) -> Option<Status> {
    let said = words(said);
    let small = said.to_lowercase();
    let (word, status) = WORDS.iter().find(|(word, _)| small.starts_with(word))?;
    let rest = said.get(word.len()..).unwrap_or_default();
    match status {
        Status::Connected if rest.to_lowercase().contains("fail") => Some(Status::Lame),
        // Another word that only begins like it.
        _ if rest.starts_with(char::is_alphanumeric) => None,
        Status::Failed(_) => {
            let reason = words(rest);
            Some(Status::Failed((!reason.is_empty()).then(|| reason.to_owned())))
        }
        status => Some(status.clone()),
    }
}

/// Without the glyph in front.
fn words(said: &str) -> &str {
    said.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("a: /bin/a - ✔ Connected", "a", Status::Connected)]
    #[case("a: /bin/a - ✓ Connected", "a", Status::Connected)]
    #[case("a: npx -y x - y - ! Connected · tools fetch failed", "a", Status::Lame)]
    #[case("a: https://x/mcp (HTTP) - ⚠ Needs authentication", "a", Status::NeedsLogin)]
    #[case("a: x - ✘ Failed to connect — ENOENT: no - such", "a", Status::Failed(Some("ENOENT: no - such".into())))]
    #[case("a: x - ✗ Failed to connect", "a", Status::Failed(None))]
    #[case("a: x - ✘ Connection error", "a", Status::Failed(None))]
    #[case("a: x - ⏸ Pending approval (run `claude` to approve)", "a", Status::Pending)]
    #[case("a: x - ⊘ Disabled for this project (re-enable via /mcp)", "a", Status::Disabled)]
    #[case("my server: odd: x - ✔ Connected", "my server: odd", Status::Connected)]
    #[case("plugin:tools:git: x - ✔ Connected", "plugin:tools:git", Status::Connected)]
    #[case("claude.ai Mail: https://x - ! Needs authentication", "claude.ai Mail", Status::NeedsLogin)]
    #[case("a: x - ☂ Something new", "a", Status::Else("Something new".into()))]
    fn a_line_is_a_server_and_what_is_said_of_it(#[case] line: &str, #[case] name: &str, #[case] want: Status) {
        assert_eq!(read(line, &["my server: odd", "my server"]), [(name.to_owned(), want)]);
    }

    #[rstest]
    #[case("Checking MCP server health…")]
    #[case("No MCP servers configured. Use `claude mcp add` to add a server.")]
    #[case("For help configuring MCP servers, see: https://code.claude.com/docs/en/mcp")]
    #[case(" └ [Warning] [b] mcpServers.b: Skipped — unknown MCP server type \"nope\" for server \"b\"")]
    #[case("Location: /home/me/.claude.json")]
    #[case("")]
    fn other_lines_are_no_server(#[case] line: &str) {
        assert_eq!(read(line, &[]), []);
    }
}
