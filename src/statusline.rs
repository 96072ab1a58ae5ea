//! The line for Claude Code's `statusLine`: what holds for the session, what waits for a review, what waited today. Pure.

use anstyle::{AnsiColor, Style};

/// How much is told as a number.
const MOST: u64 = 999;

/// What the line is made of.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// What holds, in words.
    pub holds: String,
    /// Dialogs are answered without a person.
    pub acts: bool,
    /// What was counted; none where nothing could be.
    pub counts: Option<Counts>,
    /// Config, switch or environment say something that counts as unsaid, or records could not be read.
    pub problem: bool,
}

/// How much there is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// All that is recorded was counted, not a beginning.
    pub whole: bool,
    /// Decisions that no person has reviewed.
    pub unreviewed: u64,
    /// Waits that began today.
    pub stalls: u64,
}

/// The line, without its end.
pub fn line(view: &View, coloured: bool) -> String {
    let painted = |text: String, colour: AnsiColor| {
        let style = if coloured { Style::new().fg_color(Some(colour.into())) } else { Style::new() };
        format!("{style}{text}{style:#}")
    };
    let holds = format!("unattended {}", view.holds);
    let mut parts = vec![if view.acts { painted(holds, AnsiColor::Yellow) } else { holds }];
    match view.counts {
        Some(counts) if counts.whole => {
            if counts.unreviewed > 0 {
                parts.push(painted(format!("{} to review", number(counts.unreviewed)), AnsiColor::Cyan));
            }
            if counts.stalls > 0 {
                let stalls = if counts.stalls == 1 { "stall" } else { "stalls" };
                parts.push(painted(format!("{} {stalls} today", number(counts.stalls)), AnsiColor::Red));
            }
        }
        Some(_) => parts.push("counting".to_owned()),
        None => parts.push("records unread".to_owned()),
    }
    if view.problem {
        parts.push(painted("a problem: unattended status".to_owned(), AnsiColor::Red));
    }
    parts.join(" · ")
}

fn number(count: u64) -> String {
    if count > MOST { format!("{MOST}+") } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(unreviewed: u64, stalls: u64) -> View {
        let counts = Some(Counts { whole: true, unreviewed, stalls });
        View { holds: "on until 07:00".into(), acts: true, counts, problem: false }
    }

    #[test]
    fn what_there_is_none_of_is_not_said() {
        assert_eq!(line(&counted(0, 0), false), "unattended on until 07:00");
        assert_eq!(line(&counted(3, 1), false), "unattended on until 07:00 · 3 to review · 1 stall today");
        assert_eq!(line(&counted(999, 2), false), "unattended on until 07:00 · 999 to review · 2 stalls today");
        assert_eq!(line(&counted(1000, 0), false), "unattended on until 07:00 · 999+ to review");
    }

    #[test]
    fn a_count_that_is_not_whole_is_no_number() {
        let part = Counts { whole: false, unreviewed: 7, stalls: 1 };
        let view = View { holds: "off".into(), counts: Some(part), ..View::default() };
        assert_eq!(line(&view, false), "unattended off · counting");
        let broken = View { counts: None, problem: true, ..view };
        assert_eq!(line(&broken, false), "unattended off · records unread · a problem: unattended status");
    }

    #[test]
    fn colours_are_there_only_where_they_are_wanted() {
        assert!(line(&counted(3, 1), true).contains("\u{1b}["));
        assert!(!line(&counted(3, 1), false).contains('\u{1b}'));
    }
}
