//! Findings as a person reads them: lines of at most 80 columns, coloured; the caller takes the colours out where they do
//! not belong. Pure.

use super::{Finding, State};

/// As wide as the output is.
const WIDTH: usize = 80;

/// What is not as it should be, then a summary.
pub fn told(findings: &[Finding], checks: usize, strict: bool) -> String {
    let mut text = String::new();
    for finding in findings.iter().filter(|finding| finding.state != State::Ok) {
        let (word, colour) = match finding.state {
            State::Failure => ("failure", anstyle::AnsiColor::Red),
            State::Warning => ("warning", anstyle::AnsiColor::Yellow),
            State::Unknown | State::Ok => ("unknown", anstyle::AnsiColor::Cyan),
        };
        let style = anstyle::Style::new().bold().fg_color(Some(colour.into()));
        let said = format!("{}: {}", finding.check.id(), finding.finding);
        text.push_str(&format!("{style}{word}{style:#}  {}\n", wrapped(&said, 9)));
        if let Some(remedy) = &finding.remedy {
            text.push_str(&format!("         {}\n", wrapped(&format!("do: {remedy}"), 13)));
        }
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let counts = [
        (count(State::Failure), "failure", "failures"),
        (count(State::Warning), "warning", "warnings"),
        (count(State::Unknown), "unknown", "unknown"),
    ];
    let counted: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    let looked = format!("{checks} {}", if checks == 1 { "check" } else { "checks" });
    let stands = count(State::Failure) > 0 || (strict && !counted.is_empty());
    let summary = match (counted.is_empty(), stands) {
        (true, _) => format!("Nothing stands in the way of a run ({looked})."),
        (false, false) => format!("A run goes on ({looked}: {}).", counted.join(", ")),
        (false, true) => format!("Settle this before you leave ({looked}: {}).", counted.join(", ")),
    };
    text.push_str(&summary);
    text.push('\n');
    text
}

/// Words in lines of at most 80 columns, those behind the first indented; made harmless for a terminal.
pub fn wrapped(text: &str, indent: usize) -> String {
    let harmless: String = text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect();
    let mut lines = vec![String::new()];
    let mut width = indent.min(9);
    for word in harmless.split(' ') {
        let length = word.chars().count();
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
            width += length;
        } else if width + 1 + length <= WIDTH {
            line.push(' ');
            line.push_str(word);
            width += 1 + length;
        } else {
            lines.push(word.to_owned());
            width = indent + length;
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// Moves the cursor, changes the terminal, or turns the direction of what follows.
fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Check;

    fn finding(state: State, text: &str) -> Finding {
        Finding { state, ..Finding::bad(Check::Mcp, "x", state, text, "do this") }
    }

    #[test]
    fn nothing_but_a_summary_is_told_where_all_is_well() {
        let ok = Finding::ok(Check::Mcp, "x", "well");
        assert_eq!(told(&[ok], 3, true), "Nothing stands in the way of a run (3 checks).\n");
    }

    #[test]
    fn lines_fit_and_control_characters_do_no_harm() {
        let long = finding(State::Failure, &"a server of many words ".repeat(9));
        let evil = finding(State::Warning, "a\x1b[2Jb\u{202e}c\nd");
        let text = anstream::adapter::strip_str(&told(&[long, evil], 13, false)).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("warning  mcp: a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n         do: do this\n"), "{text}");
        assert!(text.ends_with("Settle this before you leave (13 checks: 1 failure, 1 warning).\n"), "{text}");
    }
}
