//! A replay for people: a row a line, and what it comes to. Pure; colours are taken away where they do not belong.

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};

use super::Played;
use super::said::{Compared, Said};
use crate::review::text::line;

/// How wide then and now are, in columns.
const SAID: usize = 16;

/// What all rows come to.
#[derive(Debug, Default)]
pub struct Sum {
    /// How many there were.
    pub all: usize,
    /// How many of them in sessions that we answer now.
    pub on: usize,
    same: usize,
    words: usize,
    different: usize,
    holds: BTreeMap<String, usize>,
    lacks: BTreeMap<String, usize>,
}

impl Sum {
    /// Counts another one.
    pub fn add(&mut self, played: &Played) {
        self.all += 1;
        self.on += usize::from(played.on);
        match played.compared {
            Some(Compared::Same) => self.same += 1,
            Some(Compared::Words) => self.words += 1,
            Some(Compared::Different) => self.different += 1,
            None => {}
        }
        let holds = format!("{}, by {}", if played.on { "on" } else { "off" }, played.because);
        *self.holds.entry(holds).or_default() += 1;
        for lack in &played.lacks {
            *self.lacks.entry(lack.clone()).or_default() += 1;
        }
    }

    /// How many are not answered as then.
    pub fn changed(&self) -> usize {
        self.words + self.different
    }

    /// The end of the screen.
    pub fn text(&self) -> String {
        let payloads = if self.all == 1 { "payload" } else { "payloads" };
        let unknown = self.all - self.same - self.words - self.different;
        let counts = [
            (self.same, "as then"),
            (self.words, "in other words"),
            (self.different, "otherwise"),
            (unknown, "with no answer to compare"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let mut out = format!("{} {payloads}: {}\n", self.all, counts.join(", "));
        for (holds, count) in &self.holds {
            let holds = if self.holds.len() == 1 { holds.clone() } else { format!("{holds}: {count}") };
            out.push_str(&format!("switch: {holds}\n"));
        }
        out + &self.lacking()
    }

    /// What the records among them lack.
    pub fn lacking(&self) -> String {
        self.lacks.iter().map(|(lack, count)| format!("{count} made of a record that lacks {lack}\n")).collect()
    }
}

/// The heads of the columns.
pub fn head() -> String {
    let bold = Style::new().bold();
    format!("{bold}{}{bold:#}\n", columns(["line", "event", "tool", "then", "now", ""]).trim_end())
}

/// The row of one.
pub fn row(played: &Played) -> String {
    let (word, colour) = match played.compared {
        Some(Compared::Same) => ("same", None),
        Some(Compared::Words) => ("words", Some(AnsiColor::Yellow)),
        Some(Compared::Different) => ("other", Some(AnsiColor::Red)),
        None => ("", None),
    };
    let then = played.then.as_ref().map_or_else(|| "?".to_owned(), Said::short);
    let style = Style::new().fg_color(colour.map(Into::into));
    let tool = played.tool.as_deref().unwrap_or_default();
    let row = columns([&played.line.to_string(), &played.event, tool, &then, &played.now.short(), word]);
    format!("{style}{}{style:#}\n", row.trim_end())
}

fn columns([number, event, tool, then, now, word]: [&str; 6]) -> String {
    let padded = |text: &str, width: usize| {
        let text = line(text, width);
        let blanks = width.saturating_sub(textwrap::core::display_width(&text));
        text + &" ".repeat(blanks)
    };
    let (event, tool) = (padded(event, 17), padded(tool, 15));
    format!("{number:>5} {event} {tool} {} {} {word}", padded(then, SAID), padded(now, SAID))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Source;
    use crate::switch::Because;

    fn played(compared: Option<Compared>) -> Played {
        Played {
            v: 1,
            line: 12345,
            from: Source::Record,
            event: "PermissionRequest".into(),
            tool: Some("Bash".into()),
            session_id: None,
            on: true,
            because: Because::Unattended,
            then: Some(said("approve", &["bypassPermissions"])),
            now: said("approve", &["acceptEdits"]),
            answer: None,
            compared,
            lacks: vec![],
        }
    }

    fn said(action: &str, modes: &[&str]) -> Said {
        let modes = modes.iter().map(|mode| (*mode).to_owned()).collect();
        Said { action: action.to_owned(), modes, message: None }
    }

    #[test]
    fn every_row_fits_into_80_columns_and_does_nothing_to_a_terminal() {
        let hostile = Played {
            event: "PermissionRequest".repeat(3),
            tool: Some("mcp__\u{1b}[2J宽宽宽宽宽宽宽宽宽宽__AskUserQuestion".into()),
            ..played(Some(Compared::Words))
        };
        let shown = row(&hostile);
        assert!(!shown.contains("\u{1b}[2J"), "{shown:?}");
        let plain = anstream::adapter::strip_str(&shown).to_string();
        assert!(textwrap::core::display_width(plain.trim_end()) <= 80, "{plain}");
    }

    #[test]
    fn the_end_says_what_it_comes_to() {
        let mut sum = Sum::default();
        sum.add(&played(Some(Compared::Same)));
        assert_eq!(sum.text(), "1 payload: 1 as then\nswitch: on, by auto: nobody attends\n");
        let lacks = vec!["what was masked".to_owned()];
        sum.add(&Played { lacks: lacks.clone(), ..played(Some(Compared::Different)) });
        sum.add(&Played { lacks, on: false, because: Because::Attended, ..played(None) });
        let expected = concat!(
            "3 payloads: 1 as then, 1 otherwise, 1 with no answer to compare\n",
            "switch: off, by auto: a person attends: 1\nswitch: on, by auto: nobody attends: 2\n",
            "2 made of a record that lacks what was masked\n",
        );
        assert_eq!(sum.text(), expected);
    }
}
