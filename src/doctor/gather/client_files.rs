//! The client's own files: its settings, what it was told once, and of its credentials what may be told.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::doctor::facts::{Credentials, ServerToken, Told, at};
use crate::doctor::layers::{Layer, Layers, Scope};
use crate::{client, files, paths};

/// The settings files that are there, the lowest first. Hooks of a repository's root are not read by a session that
/// starts below it (2.1.332), so that the folder's own `.claude` is looked into alone.
pub(super) fn layers(folder: &Path) -> Layers {
    let own = folder.join(".claude");
    let mut files: Vec<(Scope, PathBuf)> = Vec::new();
    files.extend(paths::client_folder().map(|folder| (Scope::User, folder.join("settings.json"))));
    files.push((Scope::Project, own.join("settings.json")));
    files.push((Scope::Local, own.join("settings.local.json")));
    files.extend(client::managed_files(client::managed_folder()).into_iter().map(|file| (Scope::Managed, file)));
    let mut layers: Vec<Layer> = Vec::new();
    for (scope, file) in files {
        // At home the project's settings are the user's.
        let real = file.canonicalize().ok();
        if real.is_some() && layers.iter().any(|layer| layer.file.canonicalize().ok() == real) {
            continue;
        }
        if let Some(read) = files::read(&file).transpose() {
            layers.push(Layer::of(scope, file, read.map_err(|error| error.to_string())));
        }
    }
    Layers(layers)
}

/// What the client was told once.
pub(super) fn told(file: Option<PathBuf>) -> Told {
    let (value, trouble) = json(file.as_deref());
    Told { file, value, trouble }
}

/// What the client keeps of its logins (`claudeAiOauth` and `mcpOAuth` in `.credentials.json`; times in milliseconds).
/// The tokens themselves do not leave this function.
pub(super) fn credentials(folder: Option<PathBuf>) -> Credentials {
    let (value, trouble) = json(folder.map(|folder| folder.join(".credentials.json")).as_deref());
    let login = at(&value, &["claudeAiOauth"]);
    let servers = at(&value, &["mcpOAuth"]).as_object().into_iter().flatten().filter_map(|(_, entry)| {
        Some(ServerToken {
            server: entry.get("serverName")?.as_str()?.to_owned(),
            expires: time(at(entry, &["expiresAt"])),
            renewable: has(at(entry, &["refreshToken"])),
        })
        .filter(|_| has(at(entry, &["accessToken"])))
    });
    Credentials {
        there: has(at(login, &["accessToken"])),
        expires: time(at(login, &["expiresAt"])),
        renewable: has(at(login, &["refreshToken"])),
        servers: servers.collect(),
        trouble,
    }
}

fn has(value: &Value) -> bool {
    value.as_str().is_some_and(|token| !token.is_empty())
}

fn time(value: &Value) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(value.as_f64()? as i64)
}

/// A JSON file; `Null` where there is none.
pub(super) fn json(file: Option<&Path>) -> (Value, Option<String>) {
    match file.map_or(Ok(None), files::read) {
        Ok(None) => (Value::Null, None),
        Err(error) => (Value::Null, Some(error.to_string())),
        Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
            Ok(value) => (value, None),
            // serde_json tells the place, and nothing of what stands there.
            Err(error) => (Value::Null, Some(format!("line {}, column {}", error.line(), error.column()))),
        },
    }
}
