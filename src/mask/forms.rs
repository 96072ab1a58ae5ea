//! What secrets look like: the forms in which services hand out tokens, and the names to which secrets are given.

/// The beginnings of tokens, and how long the whole is at least. From what the services publish so that scanners find
/// their tokens.
const PREFIXES: [(&[u8], usize); 32] = [
    (b"sk-", 24),
    (b"ghp_", 30),
    (b"gho_", 30),
    (b"ghu_", 30),
    (b"ghs_", 30),
    (b"ghr_", 30),
    (b"github_pat_", 30),
    (b"glpat-", 20),
    (b"gldt-", 20),
    (b"glrt-", 20),
    (b"xoxb-", 20),
    (b"xoxp-", 20),
    (b"xoxa-", 20),
    (b"xoxr-", 20),
    (b"xoxs-", 20),
    (b"xapp-", 20),
    (b"AKIA", 20),
    (b"ASIA", 20),
    (b"AIza", 35),
    (b"ya29.", 30),
    (b"sk_live_", 20),
    (b"sk_test_", 20),
    (b"rk_live_", 20),
    (b"whsec_", 24),
    (b"npm_", 30),
    (b"pypi-", 30),
    (b"hf_", 30),
    (b"SG.", 40),
    (b"dop_v1_", 40),
    (b"dckr_pat_", 20),
    (b"hvs.", 24),
    (b"shpat_", 30),
];

/// No token is shorter, in bytes.
pub(super) const SHORTEST: usize = 20;

/// Names that are secret wherever they stand in a name of several parts.
const ANYWHERE: [&[u8]; 5] = [b"secret", b"password", b"passwd", b"passphrase", b"apikey"];
/// Names that are secret as the last part.
const LAST: [&[u8]; 6] = [b"token", b"pass", b"pwd", b"credential", b"credentials", b"authtoken"];
/// What makes a `key` a secret.
const BEFORE_KEY: [&[u8]; 7] = [b"api", b"access", b"private", b"signing", b"encryption", b"master", b"auth"];

/// The length of the token that a word begins with. A full stop at its end is the sentence's.
pub(super) fn token(word: &[u8]) -> Option<usize> {
    if word.len() < SHORTEST {
        return None;
    }
    let length = word.iter().rposition(|byte| byte.is_ascii_alphanumeric())? + 1;
    let varied = || {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits >= 2 && digits < length
    };
    if word.starts_with(b"eyJ") {
        // A JSON Web Token: three parts in base64, of which the first two are objects.
        let parts = word.get(..length)?.split(|byte| *byte == b'.').filter(|part| part.len() >= 4).count();
        return (parts == 3).then_some(length);
    }
    let first = *word.first()?;
    let known = |(prefix, least): &&(&[u8], usize)| {
        prefix.first() == Some(&first) && length >= *least && word.starts_with(prefix)
    };
    PREFIXES.iter().find(known).filter(|_| varied()).map(|_| length)
}

/// Whether a credential follows this word of an `Authorization` header.
pub(super) fn is_scheme(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"bearer") || word.eq_ignore_ascii_case(b"basic")
}

/// Whether a value given to this name is a secret: `DB_PASSWORD`, `apiKey`, `--access-token`; not `max_tokens`.
pub(super) fn is_secret_name(name: &[u8]) -> bool {
    /// No name of a variable or a flag is longer.
    const LONGEST: usize = 80;
    let (mut rest, mut before) = (name, &b""[..]);
    while let (Some(part), true) = (next_part(&mut rest), name.len() <= LONGEST) {
        let is = |names: &[&[u8]]| {
            // Most parts of most names are told off by their first letter.
            let first = part.first().map_or(0, u8::to_ascii_lowercase);
            names.iter().any(|name| name.first() == Some(&first) && part.eq_ignore_ascii_case(name))
        };
        let last = !rest.iter().any(u8::is_ascii_alphanumeric);
        let key = part.eq_ignore_ascii_case(b"key") && BEFORE_KEY.iter().any(|name| before.eq_ignore_ascii_case(name));
        if key || is(&ANYWHERE) || (last && is(&LAST)) {
            return true;
        }
        before = part;
    }
    false
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
