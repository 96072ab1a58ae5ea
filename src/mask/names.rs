//! The names to which secrets are given, by their parts: `DB_PASSWORD`, `apiKey`, `--access-token`.

/// How sure a name is to have a secret for its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Whatever is given to it.
    Sure,
    /// What looks made by a machine: the name is given to other things too, as `max_tokens` and `SORT_KEY` are.
    Likely,
}

/// Names that are secret wherever they stand in a name of several parts, also with something before them in the same
/// word: `PGPASSWORD`.
const ANYWHERE: [&[u8]; 7] = [b"secret", b"password", b"passwd", b"passphrase", b"apikey", b"secretkey", b"privatekey"];
/// The same, as the last part alone.
const LAST: [&[u8]; 1] = [b"token"];
/// Whole words that are secret as the last part.
const LAST_WHOLE: [&[u8]; 8] =
    [b"pass", b"pwd", b"credential", b"credentials", b"sshpass", b"dbpass", b"userpass", b"rootpass"];
/// What makes a `key` a secret.
const BEFORE_KEY: [&[u8]; 7] = [b"api", b"access", b"private", b"signing", b"encryption", b"master", b"auth"];
/// What makes a `key` a secret where it looks like one.
const BEFORE_LIKELY_KEY: [&[u8]; 26] = [
    b"account",
    b"storage",
    b"shared",
    b"service",
    b"stripe",
    b"openai",
    b"anthropic",
    b"groq",
    b"gemini",
    b"mistral",
    b"azure",
    b"aws",
    b"google",
    b"github",
    b"gitlab",
    b"slack",
    b"twilio",
    b"sendgrid",
    b"mailgun",
    b"datadog",
    b"cloudflare",
    b"jwt",
    b"hmac",
    b"session",
    b"app",
    b"deploy",
];
/// With one of these at its end a name is that of something about a secret.
const ABOUT: [&[u8]; 9] = [b"file", b"path", b"dir", b"length", b"policy", b"field", b"prompt", b"limit", b"manager"];

/// Whether a value given to this name is a secret.
pub(super) fn secrecy(name: &[u8]) -> Option<Name> {
    /// No name of a variable or a flag is longer.
    const LONGEST: usize = 80;
    // A shell's own, which is a folder.
    if name.len() > LONGEST || name == b"PWD" {
        return None;
    }
    let (mut rest, mut before, mut found) = (name, &b""[..], None);
    while let Some(part) = next_part(&mut rest) {
        let part = part.get(..part.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1))?;
        if part.is_empty() {
            continue;
        }
        let last = !rest.iter().any(u8::is_ascii_alphabetic);
        if last && is_one_of(part, &ABOUT) {
            return None;
        }
        if found != Some(Name::Sure) {
            found = of_part(part, before, last).or(found);
        }
        before = part;
    }
    found
}

fn of_part(part: &[u8], before: &[u8], last: bool) -> Option<Name> {
    let secret = |part: &[u8]| ends_with_one_of(part, &ANYWHERE) || (last && ends_with_one_of(part, &LAST));
    let key = part.eq_ignore_ascii_case(b"key");
    if secret(part) || (last && is_one_of(part, &LAST_WHOLE)) || (key && is_one_of(before, &BEFORE_KEY)) {
        return Some(Name::Sure);
    }
    let many = part.strip_suffix(b"s").or_else(|| part.strip_suffix(b"S")).is_some_and(secret);
    let likely_key = last && key && is_one_of(before, &BEFORE_LIKELY_KEY);
    let personal_token = last && !before.is_empty() && part.eq_ignore_ascii_case(b"pat");
    (many || likely_key || personal_token).then_some(Name::Likely)
}

/// Most parts of most names are told off by their first letter.
fn is_one_of(part: &[u8], names: &[&[u8]]) -> bool {
    let first = part.first().map_or(0, u8::to_ascii_lowercase);
    names.iter().any(|name| name.first() == Some(&first) && part.eq_ignore_ascii_case(name))
}

/// And by their last one.
fn ends_with_one_of(part: &[u8], names: &[&[u8]]) -> bool {
    let last = part.last().map_or(0, u8::to_ascii_lowercase);
    let ends = |name: &[u8]| {
        part.len()
            .checked_sub(name.len())
            .and_then(|at| part.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(name))
    };
    names.iter().any(|name| name.last() == Some(&last) && ends(name))
}

/// Takes the next part off a name: names are split at marks, and where a capital follows a small letter.
fn next_part<'a>(name: &mut &'a [u8]) -> Option<&'a [u8]> {
    let start = name.iter().position(u8::is_ascii_alphanumeric)?;
    let part = name.get(start..)?;
    let pairs = part.iter().zip(part.iter().skip(1));
    let ends = |(before, byte): (&u8, &u8)| {
        !byte.is_ascii_alphanumeric() || (before.is_ascii_lowercase() && byte.is_ascii_uppercase())
    };
    let length = pairs.map(ends).position(|ends| ends).map_or(part.len(), |at| at + 1);
    let (part, rest) = part.split_at_checked(length)?;
    *name = rest;
    Some(part)
}
