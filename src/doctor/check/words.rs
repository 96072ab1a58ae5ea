//! Words of others, fit to be shown: short, on one line, and without what may be a secret.

/// As much of it as is shown, in characters.
const SHOWN: usize = 100;

/// The first line of a text. Addresses, assignments and long words of letters and digits may be or hold secrets, and are
/// left out.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    without_secrets(line).chars().take(SHOWN).collect()
}

/// A text without what may be a secret in it.
pub(super) fn without_secrets(text: &str) -> String {
    let words = text.split_whitespace().map(|word| if may_be_secret(word) { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn may_be_secret(word: &str) -> bool {
    let long = word.split(['/', '\\']).any(|part| {
        let has = |test: fn(&char) -> bool| part.chars().any(|c| test(&c));
        part.chars().count() >= 16 && has(|c| c.is_ascii_digit()) && has(|c| c.is_alphabetic())
    });
    long || word.contains("://") || word.contains('=') || word.to_lowercase().contains("sk-")
}

/// A word for a POSIX shell.
pub(super) fn quoted(word: &str) -> String {
    if crate::settings::needs_quoting(word) { format!("'{}'", word.replace('\'', r"'\''")) } else { word.to_owned() }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("ENOENT: no such file, posix_spawn '/opt/x'", "ENOENT: no such file, posix_spawn '/opt/x'")]
    #[case("\n  cannot reach https://x.example/?key=1 now\nmore", "cannot reach … now")]
    #[case("bad token sk-ant-oat01-abc", "bad token …")]
    #[case("API_KEY=abc is wrong", "… is wrong")]
    #[case("key 0123456789abcdef0123 refused", "key … refused")]
    #[case("connection timed out after 30000ms", "connection timed out after 30000ms")]
    #[case("", "")]
    fn a_line_of_others_is_shown_without_what_may_be_a_secret(#[case] text: &str, #[case] want: &str) {
        assert_eq!(first_line(text), want);
    }

    #[test]
    fn a_name_with_a_space_is_one_word_for_a_shell() {
        assert_eq!([quoted("a-b"), quoted("my server"), quoted("it's")], ["a-b", "'my server'", r"'it'\''s'"]);
        let words = |n: usize| ["a", "b", "c"].iter().take(n).map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!([list(&words(1)), list(&words(2)), list(&words(3))], ["a", "a and b", "a, b and c"]);
    }
}
