//! Where things are in a JSON text: spans for the splices, strings decoded only where they are looked at. The parser is
//! serde_json, which is as strict as the client's and does not recurse into what is not asked for.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A part of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A member of an object: `"name": value`.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Decoded. A name that is no Unicode (a lone surrogate) stays as written, with its quotes: no name we look for.
    pub(super) name: String,
    /// From the name's quote to the end of the value.
    pub(super) whole: Span,
    pub(super) value: Span,
}

/// An object or array: where its inside begins and ends, and its members or elements.
#[derive(Debug, Clone)]
pub(super) struct List {
    /// What is between the brackets.
    pub(super) inside: Span,
    pub(super) items: Vec<Span>,
}

impl Span {
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn empty_at(at: usize) -> Span {
        Span { start: at, end: at }
    }

    fn inside(self) -> Span {
        Span { start: self.start + 1, end: self.end.saturating_sub(1) }
    }
}

/// The whole value in a text; the error has its line and column.
pub(super) fn value(text: &str) -> serde_json::Result<Span> {
    let raw: &RawValue = serde_json::from_str(text)?;
    Ok(span(text, raw))
}

/// The members of an object, in their order; `None` for another value.
pub(super) fn members(text: &str, object: Span) -> Option<Vec<Member>> {
    let source = object.of(text);
    if !source.starts_with('{') {
        return None;
    }
    let Pairs(pairs) = serde_json::from_str(source).ok()?;
    Some(
        pairs
            .into_iter()
            .map(|(name, value)| {
                let (key, value) = (span(text, name), span(text, value));
                let name = string(text, key).unwrap_or_else(|| name.get().to_owned());
                Member { name, whole: Span { start: key.start, end: value.end }, value }
            })
            .collect(),
    )
}

/// The elements of an array; `None` for another value.
pub(super) fn elements(text: &str, array: Span) -> Option<Vec<Span>> {
    let source = array.of(text);
    if !source.starts_with('[') {
        return None;
    }
    let Items(items) = serde_json::from_str(source).ok()?;
    Some(items.into_iter().map(|item| span(text, item)).collect())
}

/// The member that counts: of several with one name the client, as `JSON.parse`, takes the last.
pub(super) fn last<'m>(members: &'m [Member], name: &str) -> Option<&'m Member> {
    members.iter().rev().find(|member| member.name == name)
}

/// An object as a list of its members.
pub(super) fn object_list(object: Span, members: &[Member]) -> List {
    List { inside: object.inside(), items: members.iter().map(|member| member.whole).collect() }
}

/// An array as a list of its elements.
pub(super) fn array_list(array: Span, elements: Vec<Span>) -> List {
    List { inside: array.inside(), items: elements }
}

/// A string, decoded; `None` for another value.
pub(super) fn string(text: &str, value: Span) -> Option<String> {
    serde_json::from_str(value.of(text)).ok()
}

/// An array of strings; `None` for another value.
pub(super) fn strings(text: &str, value: Span) -> Option<Vec<String>> {
    serde_json::from_str(value.of(text)).ok()
}

/// What a person calls the value at `span`.
pub(super) fn kind(text: &str, value: Span) -> &'static str {
    match value.of(text).as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}

fn span(text: &str, raw: &RawValue) -> Span {
    // `raw` was borrowed from `text`: the difference of the addresses is where it is.
    let start = raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    Span { start, end: start + raw.get().len() }
}

struct Pairs<'t>(Vec<(&'t RawValue, &'t RawValue)>);
struct Items<'t>(Vec<&'t RawValue>);
struct Each<'t, T>(PhantomData<(&'t (), T)>);

impl<'de: 't, 't> Deserialize<'de> for Pairs<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Each::<Pairs<'t>>(PhantomData))
    }
}

impl<'de: 't, 't> Visitor<'de> for Each<'t, Pairs<'t>> {
    type Value = Pairs<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'t>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
            pairs.push((pair.0 as &'t RawValue, pair.1 as &'t RawValue));
        }
        Ok(Pairs(pairs))
    }
}

impl<'de: 't, 't> Deserialize<'de> for Items<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Each::<Items<'t>>(PhantomData))
    }
}

impl<'de: 't, 't> Visitor<'de> for Each<'t, Items<'t>> {
    type Value = Items<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items<'t>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<&'de RawValue>()? {
            items.push(item as &'t RawValue);
        }
        Ok(Items(items))
    }
}
