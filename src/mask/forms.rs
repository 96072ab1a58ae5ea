//! What secrets look like: the forms in which services hand out tokens, and what looks made by a machine.

/// The beginnings of tokens, and how long the whole is at least. From what the services publish so that scanners find
/// their tokens.
const PREFIXES: [(&[u8], usize); 47] = [
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
    (b"shpss_", 30),
    (b"gsk_", 30),
    (b"xai-", 40),
    (b"pplx-", 40),
    (b"nvapi-", 40),
    (b"glsa_", 30),
    (b"lin_api_", 30),
    (b"sbp_", 30),
    (b"ATATT", 40),
    (b"figd_", 30),
    (b"rubygems_", 40),
    (b"sntrys_", 40),
    (b"tskey-", 30),
    (b"xoxe-", 30),
    (b"AGE-SECRET-KEY-1", 50),
];

/// No token is shorter, in bytes.
pub(super) const SHORTEST: usize = 20;

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

/// Whether it is the name of a header that holds a credential.
pub(super) fn is_header(name: &[u8]) -> bool {
    [&b"authorization"[..], b"proxy-authorization"].iter().any(|header| name.eq_ignore_ascii_case(header))
}

/// Whether it is long enough and mixed enough to be no word: eight bytes, of them a letter and a digit.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic)
}

/// Whether it looks made by a machine, for names that are given to much else: mixed, and of both cases or as long as a
/// token.
pub(super) fn is_made(bytes: &[u8]) -> bool {
    let cased = bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase);
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    is_mixed(bytes) && (cased || (bytes.len() >= SHORTEST && digits >= 2))
}
