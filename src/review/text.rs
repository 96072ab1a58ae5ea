//! Text for people: what data holds made harmless for a terminal, wrapped to a width. Pure.

use textwrap::Options;

/// A text whose control characters do nothing to a terminal: each becomes U+FFFD, as do the marks that turn the
/// direction of writing, with which a text can be made to look like another. Line breaks and tabs stay.
pub fn harmless(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| if acts(c) { '\u{fffd}' } else { c })
        .collect::<String>()
        .replace('\t', "    ")
}

fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// JSON in which such characters are escaped; they can stand in its strings alone.
pub fn harmless_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if acts(c) {
            safe.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A text in lines of at most `width` columns, the first behind `first`, the others behind as many blanks.
pub fn wrapped(text: &str, width: usize, first: &str) -> String {
    let blank = " ".repeat(textwrap::core::display_width(first));
    let mut out = String::new();
    for (number, line) in harmless(text).lines().enumerate() {
        let (initial, rest) = (if number == 0 { first } else { &blank }, blank.as_str());
        let options = Options::new(width.max(blank.len() + 20)).initial_indent(initial).subsequent_indent(rest);
        for line in textwrap::wrap(line.trim_end(), options) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    if out.is_empty() {
        out.push_str(first.trim_end());
        out.push('\n');
    }
    out
}

/// A text behind `label`, its lines in `width` columns where there are any, the others behind as many blanks. Words are
/// never broken: a path stays one that can be copied.
pub fn filled(label: &str, text: &str, width: Option<usize>) -> String {
    let columns = textwrap::core::display_width(label);
    let blank = " ".repeat(columns);
    let lines = text.lines().flat_map(|line| match width {
        None => vec![line.to_owned()],
        Some(width) => {
            let options = Options::new(width.saturating_sub(columns).max(20)).break_words(false);
            let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
            textwrap::wrap(line.trim_end(), options).into_iter().map(std::borrow::Cow::into_owned).collect()
        }
    });
    lines.enumerate().map(|(at, line)| format!("{}{line}\n", if at == 0 { label } else { &blank })).collect()
}

/// The beginning of a text in one line of at most `width` columns.
pub fn line(text: &str, width: usize) -> String {
    let flat: Vec<String> = harmless(text).split_whitespace().map(str::to_owned).collect();
    let flat = flat.join(" ");
    if textwrap::core::display_width(&flat) <= width {
        return flat;
    }
    let mut cut = String::new();
    for c in flat.chars() {
        if textwrap::core::display_width(&cut) + textwrap::core::display_width(c.encode_utf8(&mut [0; 4])) >= width {
            break;
        }
        cut.push(c);
    }
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_the_cursor_or_turn_the_text_does_nothing() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{7}b\rc\u{202e}d\u{2066}e\r\nf\tg";
        assert_eq!(harmless(hostile), "a\u{fffd}[2J\u{fffd}31m\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\nf    g");
        let json = serde_json::to_string(hostile).unwrap();
        let safe = harmless_json(&json);
        assert!(!safe.chars().any(acts), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), hostile);
    }

    #[test]
    fn lines_fit_and_hang_together() {
        assert_eq!(
            wrapped("one two three four five six", 28, "  asked  "),
            "  asked  one two three four\n         five six\n"
        );
        assert_eq!(wrapped("", 40, "  asked  "), "  asked\n");
        let long = wrapped(&"x".repeat(100), 40, "  ");
        assert!(long.lines().all(|line| line.len() <= 40), "{long}");
        let wide = wrapped(&"赤".repeat(60), 40, "  ");
        assert!(wide.lines().all(|line| textwrap::core::display_width(line) <= 40), "{wide}");
    }

    #[test]
    fn a_line_is_cut_to_its_width() {
        assert_eq!(line("one\n two   three", 40), "one two three");
        assert_eq!(line("one two three", 9), "one two…");
        assert!(textwrap::core::display_width(&line(&"赤".repeat(60), 21)) <= 21);
    }
}
