//! Secrets in addresses: the password or the token before the host, and addresses that are secrets themselves.

use memchr::memmem;

use super::{MASK, forms, in_value};

/// As much as is looked at of an address in which the host does not come where it should.
const FARTHEST: usize = 256;

/// Where addresses begin that whoever knows them may use, up to what is secret in them.
const HOOKS: [&[u8]; 7] = [
    b"hooks.slack.com/services/",
    b"hooks.slack.com/workflows/",
    b"hooks.slack.com/triggers/",
    b"discord.com/api/webhooks/",
    b"discordapp.com/api/webhooks/",
    b"api.telegram.org/bot",
    b"api.telegram.org/file/bot",
];

/// The secret of an address whose `://` ends at `start`.
pub(super) fn secret(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(start..)?;
    if let Some(hook) = HOOKS.iter().find(|hook| rest.starts_with(hook)) {
        let known = rest.get(hook.len()..)?;
        let slashes = !hook.ends_with(b"bot");
        let is = |byte: &&u8| (in_value(**byte) && (slashes || **byte != b'/')) || **byte == b':';
        let length = known.iter().take_while(is).count();
        return (length >= forms::SHORTEST).then_some((start + hook.len(), start + hook.len() + length));
    }
    let authority = rest.get(..rest.iter().position(ends)?)?;
    let host = match authority.iter().rposition(|byte| *byte == b'@') {
        Some(host) => host,
        None => host_behind(rest, authority)?,
    };
    let colon = authority.iter().position(|byte| *byte == b':').filter(|colon| *colon < host);
    let user = authority.get(..colon.unwrap_or(host).min(authority.len()))?;
    let token = user.iter().all(|byte| in_value(*byte)) && user.len() >= 16 && forms::is_mixed(user);
    let from = match colon {
        _ if token => 0,
        Some(colon) => colon + 1,
        None => return None,
    };
    let password = rest.get(from..host)?;
    let reference = matches!(password.first()?, b'$' | b'{' | b'<' | b'*');
    let masked = memmem::find(password, MASK.as_bytes()).is_some();
    (!reference && !masked).then_some((start + from, start + host))
}

/// Where an authority ends, as an address should be written.
fn ends(byte: &u8) -> bool {
    matches!(byte, b'/' | b'"' | b'\\' | b'\'' | b'`' | b'?' | b'#') || byte.is_ascii_whitespace()
}

/// Where the `@` is where the password has in it what should be written otherwise: `#`, `/`, `?`, `'`.
fn host_behind(rest: &[u8], authority: &[u8]) -> Option<usize> {
    let colon = authority.iter().position(|byte| *byte == b':')?;
    // Behind a host it is a port.
    let begun = authority.get(colon + 1..)?;
    if begun.iter().all(u8::is_ascii_digit) || authority.get(..colon)?.contains(&b'.') {
        return None;
    }
    let near = rest.get(..FARTHEST).unwrap_or(rest);
    let end = |byte: &u8| matches!(byte, b'"' | b'\\' | b'`' | b'<' | b'>') || byte.is_ascii_whitespace();
    let near = near.get(..near.iter().position(end)?)?;
    let first = near.iter().position(|byte| *byte == b'@')?;
    let host = near.get(first..)?;
    let host = host.get(..host.iter().position(ends).unwrap_or(host.len()))?;
    Some(first + host.iter().rposition(|byte| *byte == b'@')?)
}
