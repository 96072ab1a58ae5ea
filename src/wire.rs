//! What the client sends: one JSON object on standard input, read without copying and without demands. A field of the
//! wrong type counts as absent, an unknown one is passed over, and of two with one name the last counts, as in the
//! client. Touches no file, clock or environment.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// How much of a text is read, in bytes as the payload writes it; a longer one counts as its beginning and its length.
const TEXT_LIMIT: usize = 64 * 1024;
/// How much of a text that is only passed on.
const WRITTEN_LIMIT: usize = 256 * 1024;

/// The fields of a payload that something here reads, still as the client wrote them.
#[derive(Debug, Default)]
pub struct Payload<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Payload<'a> {
    /// Reads a payload.
    ///
    /// # Errors
    /// Where `json` is no JSON object; what is inside of it is not looked at yet.
    pub fn read(json: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(json)
    }

    /// The field as it was written, byte for byte. `null` counts as absent.
    pub fn raw(&self, name: &str) -> Option<&'a RawValue> {
        let (_, value) = self.fields.iter().rev().find(|(field, _)| field == name)?;
        (value.get() != "null").then_some(*value)
    }

    /// The field as a text.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        text(self.raw(name)?)
    }

    /// The field as a flag; absent is false.
    pub fn flag(&self, name: &str) -> bool {
        self.raw(name).is_some_and(|value| value.get() == "true")
    }

    /// The field as an object.
    pub fn object(&self, name: &str) -> Option<Payload<'a>> {
        object(self.raw(name)?)
    }

    /// The entries of the array in this field; anything else has none.
    pub fn entries(&self, name: &str) -> Vec<&'a RawValue> {
        self.raw(name).map(list).unwrap_or_default()
    }

    /// Whether the object holds nothing.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

/// A text as the payload writes it, in quotation marks, its escapes and all: what is only passed on need not be read.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a>(&'a RawValue);

impl<'a> Written<'a> {
    /// A value, where it is a string.
    pub fn of(value: &'a RawValue) -> Option<Self> {
        value.get().starts_with('"').then_some(Self(value))
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = self.0.get();
        if written.len() > WRITTEN_LIMIT {
            return shortened(self.0, WRITTEN_LIMIT).serialize(serializer);
        }
        // Half a surrogate pair, which no reader of records need know, is written so.
        match written.contains("\\u") && (written.contains("\\ud") || written.contains("\\uD")) {
            true => text(self.0).serialize(serializer),
            false => self.0.serialize(serializer),
        }
    }
}

/// A value as a text, where it is a string. Half a surrogate pair, which no text can hold, becomes U+FFFD. Of a very long
/// one it is the beginning, and how long it is.
pub fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    if value.get().len() > TEXT_LIMIT { shortened(value, TEXT_LIMIT).map(Cow::Owned) } else { whole_text(value) }
}

/// A value as a text, where it is a string, however long it is.
pub fn whole_text(value: &RawValue) -> Option<Cow<'_, str>> {
    Some(value.get()).filter(|written| written.starts_with('"')).and_then(decoded)
}

/// The beginning of a value that is a string, some `limit` bytes of it as it is written.
pub fn beginning(value: &RawValue, limit: usize) -> Option<String> {
    let written = value.get();
    let begins = written.get(..cut(written, limit)).filter(|begins| begins.starts_with('"'))?;
    decoded(&format!("{begins}\"")).map(Cow::into_owned)
}

/// The end of a value that is a string, at most `limit` bytes of it as it is written.
pub fn ending(value: &RawValue, limit: usize) -> Option<String> {
    let written = value.get();
    let ends = written.get(cut(written, written.len().saturating_sub(limit))..).filter(|ends| ends.ends_with('"'))?;
    decoded(&format!("\"{ends}")).map(Cow::into_owned)
}

fn shortened(value: &RawValue, limit: usize) -> Option<String> {
    Some(format!("{}… ({} bytes)", beginning(value, limit)?, value.get().len() - 2))
}

/// Where a string can be cut, at `from` or just behind: not within an escape, nor within a character.
fn cut(written: &str, from: usize) -> usize {
    let bytes = written.as_bytes();
    let mut at = 1;
    while let Some(slash) = bytes.get(at..from).and_then(|before| memchr::memchr(b'\\', before)) {
        at += slash;
        at += if bytes.get(at + 1) == Some(&b'u') { 6 } else { 2 };
    }
    written.ceil_char_boundary(at.max(from))
}

fn decoded(written: &str) -> Option<Cow<'_, str>> {
    match serde_json::from_str::<Text<'_>>(written) {
        Ok(Text(text)) => Some(text),
        Err(_) => serde_json::from_str::<Bytes>(written).ok().map(|bytes| Cow::Owned(bytes.0)),
    }
}

/// A value as an object, where it is one.
pub fn object(value: &RawValue) -> Option<Payload<'_>> {
    serde_json::from_str(value.get()).ok()
}

/// A value as a list; anything else is an empty one.
pub fn list(value: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str::<List<'_>>(value.get()).map(|list| list.0).unwrap_or_default()
}

impl<'de: 'a, 'a> Deserialize<'de> for Payload<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Payload<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some(Text(name)) = map.next_key()? {
                    // However many there are: where there is no memory for them, they cannot be read.
                    fields.try_reserve(1).map_err(A::Error::custom)?;
                    fields.push((name, map.next_value()?));
                }
                Ok(Payload { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

struct List<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = List<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = seq.next_element()? {
                    entries.try_reserve(1).map_err(A::Error::custom)?;
                    entries.push(entry);
                }
                Ok(List(entries))
            }
        }
        deserializer.deserialize_seq(Entries)
    }
}

/// A string, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Characters;
        impl<'de> Visitor<'de> for Characters {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Characters)
    }
}

/// A string read by its bytes: there the JSON reader lets half a surrogate pair pass.
struct Bytes(String);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whatever;
        impl Visitor<'_> for Whatever {
            type Value = Bytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                // Half a pair is three bytes that are no UTF-8.
                Ok(Bytes(String::from_utf8_lossy(bytes).replace("\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}")))
            }
        }
        deserializer.deserialize_bytes(Whatever)
    }
}

/// What can still be told of a payload that is no JSON: its event and tool, by their keys. A string inside of the
/// payload cannot hold such a key unescaped, and the client writes both before the tool's input, so that the first
/// of each is the payload's own.
pub fn glimpse(bytes: &[u8]) -> (Option<&str>, Option<&str>) {
    (after_key(bytes, b"\"hook_event_name\""), after_key(bytes, b"\"tool_name\""))
}

fn after_key<'b>(bytes: &'b [u8], key: &[u8]) -> Option<&'b str> {
    let at = memchr::memmem::find(bytes, key)? + key.len();
    let rest = bytes.get(at..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    std::str::from_utf8(rest.get(..memchr::memchr(b'"', rest)?)?).ok()
}
