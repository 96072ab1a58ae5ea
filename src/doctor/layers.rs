//! The client's settings as the current folder sees them: each layer's text, and what holds by all of them together.
//! Pure; the texts come from `gather`.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use crate::settings;
use crate::trouble::Trouble;

/// How the trouble begins with a file of which nothing could be read.
pub const UNREAD: &str = "cannot be read";

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the client's")]
pub enum Scope {
    User,
    Project,
    Local,
    Managed,
}

/// One settings file.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Whose it is.
    pub scope: Scope,
    /// Where it is.
    pub file: PathBuf,
    /// Its text; empty where it cannot be read.
    pub text: String,
    /// What is in it; `Null` where the client cannot read it.
    pub value: Value,
    /// Why the client cannot read it.
    pub trouble: Option<Trouble>,
}

/// The files that are there, each outranking those before it.
#[derive(Debug, Clone, Default)]
pub struct Layers(pub Vec<Layer>);

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::User => "your settings",
            Scope::Project => "the project's settings",
            Scope::Local => "the project's local settings",
            Scope::Managed => "the managed settings",
        })
    }
}

impl Layer {
    /// Reads the bytes of a settings file.
    pub fn of(scope: Scope, file: PathBuf, bytes: Result<Vec<u8>, String>) -> Layer {
        let read = bytes
            .map_err(|why| Trouble {
                what: format!("{UNREAD}: {why}"),
                hint: "see that it is a file, and that you may read it".into(),
            })
            .and_then(|bytes| settings::decode(&bytes).map(str::to_owned));
        let (text, trouble) = match read {
            Ok(text) => {
                let trouble = settings::check(&text).err();
                (text, trouble)
            }
            Err(trouble) => (String::new(), Some(trouble)),
        };
        let value = match trouble {
            None => serde_json::from_str(settings::unmarked(&text)).unwrap_or_default(),
            // The client skips a file with a fault whole.
            Some(_) => Value::Null,
        };
        Layer { scope, file, text, value, trouble }
    }

    /// The value at a path of keys in this layer.
    pub fn value(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.value, |value, key| value.get(key))
    }
}

impl Layers {
    /// What holds at a path of keys, and the layer that says so: the highest one that has it.
    pub fn value(&self, path: &[&str]) -> Option<(&Layer, &Value)> {
        self.0.iter().rev().find_map(|layer| Some((layer, layer.value(path)?)))
    }

    /// Whether `true` holds at a path of keys; gives the layer that says so.
    pub fn says_true(&self, path: &[&str]) -> Option<&Layer> {
        self.value(path).filter(|(_, value)| **value == Value::Bool(true)).map(|(layer, _)| layer)
    }

    /// All strings of the arrays at a path of keys: the client lays these of all layers together.
    pub fn strings(&self, path: &[&str]) -> Vec<(&Layer, &str)> {
        let arrays = self.0.iter().filter_map(|layer| Some((layer, layer.value(path)?.as_array()?)));
        arrays.flat_map(|(layer, array)| array.iter().filter_map(move |value| Some((layer, value.as_str()?)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(scope: Scope, text: &str) -> Layer {
        Layer::of(scope, PathBuf::from("settings.json"), Ok(text.as_bytes().to_vec()))
    }

    #[test]
    fn the_highest_layer_that_says_something_holds_and_lists_are_laid_together() {
        let layers = Layers(vec![
            layer(Scope::User, r#"{"disableAllHooks": true, "permissions": {"allow": ["a"], "defaultMode": "plan"}}"#),
            layer(Scope::Project, r#"{"disableAllHooks": false, "permissions": {"allow": ["b"]}}"#),
        ]);
        assert_eq!(layers.says_true(&["disableAllHooks"]).map(|layer| layer.scope), None);
        assert_eq!(layers.value(&["permissions", "defaultMode"]).map(|(layer, _)| layer.scope), Some(Scope::User));
        let allowed: Vec<_> = layers.strings(&["permissions", "allow"]).into_iter().map(|(_, rule)| rule).collect();
        assert_eq!(allowed, ["a", "b"]);
    }

    #[test]
    fn a_layer_with_a_fault_says_nothing_but_where_the_fault_is() {
        let broken = layer(Scope::User, "{\"disableAllHooks\": true,\n \"a\": }");
        assert_eq!(broken.value(&["disableAllHooks"]), None);
        assert!(broken.trouble.is_some_and(|trouble| trouble.what.contains("line 2, column 7")));
        assert!(layer(Scope::User, " \n").trouble.is_none(), "a blank file");
        assert!(layer(Scope::User, "\u{feff}{\"a\": 1}").value(&["a"]).is_some(), "a byte order mark");
    }
}
