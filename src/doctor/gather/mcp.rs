//! The MCP servers that a run would start: what is configured, and what `claude mcp list` says of them.
//!
//! The listing runs in a copy of the client's folder. The command writes more than it shows (2.1.50 to 2.1.332): it
//! rewrites `.claude.json` and, where it migrates something, `settings.json`; it keeps `mcp-needs-auth-cache.json`, by
//! which a run that follows would skip a server for some time; it leaves token-less entries in `.credentials.json`. To
//! put that back afterwards would undo what a session beside it has written meanwhile; a copy cannot. The copy has no
//! refresh tokens: many servers take one once only, and to use it up here would log the person out. A token that has
//! ended is therefore told as such, and not tried. HOME stays: it is the servers' too.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::{Options, client_files::json};
use crate::doctor::facts::{Facts, Listing, Mcp, Server, at};
use crate::doctor::layers::Scope;
use crate::doctor::listing::TELLS_APPROVAL;
use crate::{files, paths, program};

/// The cache by which the client skips servers that lately wanted a login; a listing without it tries them.
const NEEDS_LOGIN: &str = "mcp-needs-auth-cache.json";

/// Servers of the caller's own: name, configuration, and the file that says so.
type Named = BTreeMap<String, (Value, String)>;

/// Finds out what there is to know.
pub(super) fn of(facts: &Facts, options: &Options, progress: &mut dyn FnMut(&str, Duration)) -> io::Result<Mcp> {
    let mut troubles = Vec::new();
    let named = named(&options.mcp_configs, &mut troubles);
    let cache = paths::client_folder().map(|folder| folder.join(NEEDS_LOGIN));
    let remembered = read(facts, cache.as_deref(), &mut troubles);
    let servers = configured(facts, &named, &mut troubles);
    let listing = match &facts.client.path {
        None => Listing::NotRun("there is no claude on PATH".to_owned()),
        Some(client) => match copy(facts, &named, &servers) {
            Err(error) => Listing::NotRun(format!("the client's files cannot be copied: {error}")),
            Ok(copy) => list(facts, client, copy.path(), options.mcp_limit, progress)?,
        },
    };
    Ok(Mcp {
        servers,
        listing,
        needed_login: remembered.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect(),
        troubles,
    })
}

fn list(
    facts: &Facts,
    client: &Path,
    copy: &Path,
    limit: Duration,
    progress: &mut dyn FnMut(&str, Duration),
) -> io::Result<Listing> {
    let mut command = Command::new(client);
    command
        .args(["mcp", "list"])
        .current_dir(&facts.place.folder)
        .env("CLAUDE_CONFIG_DIR", copy)
        .env("DISABLE_AUTOUPDATER", "1")
        .env("NO_COLOR", "1");
    let mut tick = |so_far| progress("asking the MCP servers", so_far);
    let ran = match program::run(&mut command, b"", limit, &mut tick) {
        Ok(ran) => ran,
        Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
        Err(error) => return Ok(Listing::NotRun(format!("`claude mcp list` does not start: {error}"))),
    };
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    Ok(match ran.status {
        None => Listing::Cut(text, limit),
        Some(status) if status.success() => Listing::Whole(text),
        Some(status) => Listing::NotRun(format!("`claude mcp list` ends with {status}")),
    })
}

/// What is needed of the client's folder, for its owner alone; gone with the value.
fn copy(facts: &Facts, named: &Named, servers: &[Server]) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("unattended-doctor.");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let copy = builder.tempdir()?;
    let folder = paths::client_folder();
    for entry in folder.iter().flat_map(fs::read_dir).flatten().flatten() {
        let name = entry.file_name();
        let is_json = Path::new(&name).extension().is_some_and(|end| end == "json");
        let fits = fs::metadata(entry.path()).is_ok_and(|meta| meta.is_file() && meta.len() <= files::MOST);
        if !is_json || !fits || name == NEEDS_LOGIN || name == ".claude.json" {
            continue;
        }
        let Some(mut bytes) = files::read(&entry.path())? else { continue };
        if name == ".credentials.json" {
            bytes = without_refresh_tokens(&bytes);
        }
        if name != "settings.json" {
            write(&copy.path().join(name), &bytes)?;
        }
    }
    // The command runs SessionEnd hooks (2.1.332), ours among them, which would be recorded.
    let user = facts.layers.0.iter().find(|layer| layer.scope == Scope::User);
    let mut settings = user.and_then(|layer| layer.value.as_object().cloned()).unwrap_or_default();
    settings.insert("disableAllHooks".to_owned(), Value::Bool(true));
    // Of a project's servers, older clients start in a listing what nobody has approved (2.1.50, 2.1.150), which is not
    // for us to do.
    let tells = facts.version().is_some_and(|version| version >= TELLS_APPROVAL);
    if !tells || !facts.is_trusted() {
        let pending = servers.iter().filter(|server| server.pending).map(|server| Value::from(server.name.as_str()));
        settings.insert("disabledMcpjsonServers".to_owned(), pending.collect());
    }
    write(&copy.path().join("settings.json"), Value::Object(settings).to_string().as_bytes())?;
    // Servers of plugins are started from there.
    #[cfg(unix)]
    if let Some(plugins) = folder.map(|folder| folder.join("plugins")).filter(|plugins| plugins.is_dir()) {
        std::os::unix::fs::symlink(std::path::absolute(plugins)?, copy.path().join("plugins"))?;
    }
    let mut told = facts.told.value.clone();
    add(&mut told, facts, named);
    write(&copy.path().join(".claude.json"), told.to_string().as_bytes())?;
    Ok(copy)
}

fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(bytes)
}

/// A text that is no JSON holds nothing that the client could use, and is left out.
fn without_refresh_tokens(credentials: &[u8]) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(credentials).unwrap_or_default();
    let servers = value.get_mut("mcpOAuth").and_then(Value::as_object_mut);
    for entry in servers.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        entry.remove("refreshToken");
    }
    if let Some(login) = value.get_mut("claudeAiOauth").and_then(Value::as_object_mut) {
        login.remove("refreshToken");
    }
    value.to_string().into_bytes()
}

/// The servers of the caller's own, in the places of the copy that outrank all others.
fn add(told: &mut Value, facts: &Facts, named: &Named) {
    let projects = member(told, "projects");
    for key in keys(facts) {
        let servers = member(member(projects, &key), "mcpServers");
        for (name, (server, _)) in named {
            *member(servers, name) = server.clone();
        }
    }
}

/// A member of an object, made where it is missing. What is no object cannot be used by the client either.
fn member<'v>(value: &'v mut Value, key: &str) -> &'v mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(members) => members.entry(key).or_insert(Value::Null),
        other => other,
    }
}

/// The keys under which the client may keep what belongs to this folder.
fn keys(facts: &Facts) -> Vec<String> {
    let place = &facts.place;
    let mut keys = vec![place.folder.display().to_string()];
    keys.extend([&place.top, &place.main].into_iter().flatten().map(|path| path.display().to_string()));
    keys.dedup();
    keys
}

/// A JSON file, `Null` where it cannot be read, which is told.
fn read(facts: &Facts, file: Option<&Path>, troubles: &mut Vec<(String, String)>) -> Value {
    let (value, trouble) = json(file);
    troubles.extend(file.zip(trouble).map(|(file, why)| (facts.shown(file), why)));
    value
}

/// Files as for `--mcp-config`, or their text itself.
fn named(configs: &[String], troubles: &mut Vec<(String, String)>) -> Named {
    let mut named = Named::new();
    for config in configs {
        let inline = config.trim_start().starts_with('{');
        let from = if inline { "--mcp-config" } else { config.as_str() };
        let text = if inline { Ok(config.clone()) } else { files::read_given(Path::new(config)) };
        let value = text.and_then(|text| {
            serde_json::from_str::<Value>(&text)
                .map_err(|error| format!("no JSON at line {}, column {}", error.line(), error.column()))
        });
        match value.as_ref().map(|value| value.get("mcpServers").and_then(Value::as_object)) {
            Ok(Some(servers)) => {
                named.extend(servers.iter().map(|(name, server)| (name.clone(), (server.clone(), from.to_owned()))));
            }
            Ok(None) => troubles.push((from.to_owned(), "it has no object `mcpServers`".to_owned())),
            Err(why) => troubles.push((from.to_owned(), why.clone())),
        }
    }
    named
}

fn configured(facts: &Facts, named: &Named, troubles: &mut Vec<(String, String)>) -> Vec<Server> {
    let names = |value: &Value| -> Vec<String> {
        value.as_object().map(|servers| servers.keys().cloned().collect()).unwrap_or_default()
    };
    let listed = |value: &Value, name: &str| value.as_array().is_some_and(|names| names.iter().any(|it| it == name));
    let keys = keys(facts);
    let by_folder =
        |list: &str, name: &str| keys.iter().any(|key| listed(facts.told.at(&["projects", key, list]), name));
    let by_layers = |list: &str, name: &str| facts.layers.strings(&[list]).iter().any(|(_, it)| *it == name);
    let all = facts.layers.says_true(&["enableAllProjectMcpServers"]).is_some();
    // What a project says of itself counts only where the folder is trusted.
    let trusted = facts.is_trusted();
    let mut servers: Vec<Server> = Vec::new();
    let mut put = |name: String, from: String, pending, rejected: bool| {
        let disabled = rejected || by_folder("disabledMcpServers", &name);
        servers.retain(|server| server.name != name);
        servers.push(Server { pending: pending && !disabled, disabled, from, name });
    };
    let file = facts.told.file.as_deref().map(|file| facts.shown(file)).unwrap_or_default();
    for name in names(facts.told.at(&["mcpServers"])) {
        put(name, file.clone(), false, false);
    }
    let folders: Vec<&Path> = facts.place.folder.ancestors().collect();
    let end = folders.iter().position(|folder| facts.place.top.as_deref() == Some(*folder));
    let folders = folders.get(..end.map_or(folders.len(), |end| end + 1)).unwrap_or_default();
    for project in folders.iter().rev().map(|folder| folder.join(".mcp.json")) {
        for name in names(at(&read(facts, Some(&project), troubles), &["mcpServers"])) {
            let rejected = by_layers("disabledMcpjsonServers", &name) || by_folder("disabledMcpjsonServers", &name);
            let approved =
                all || by_layers("enabledMcpjsonServers", &name) || by_folder("enabledMcpjsonServers", &name);
            put(name, facts.shown(&project), !(approved && trusted), rejected);
        }
    }
    for key in &keys {
        for name in names(facts.told.at(&["projects", key, "mcpServers"])) {
            put(name, file.clone(), false, false);
        }
    }
    for (name, (_, from)) in named {
        put(name.clone(), from.clone(), false, false);
    }
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_of_the_credentials_has_the_tokens_but_nothing_to_renew_them_by() {
        let text = r#"{"claudeAiOauth": {"accessToken": "a1", "refreshToken": "r1", "scopes": []},
            "mcpOAuth": {"x|1": {"serverName": "x", "accessToken": "a2", "refreshToken": "r2"}}}"#;
        let copy: Value = serde_json::from_slice(&without_refresh_tokens(text.as_bytes())).unwrap();
        assert_eq!(copy["claudeAiOauth"]["accessToken"], "a1");
        assert_eq!(copy["mcpOAuth"]["x|1"]["accessToken"], "a2");
        assert!(!copy.to_string().contains("refresh"), "{copy}");
        assert_eq!(without_refresh_tokens(b"broken"), b"null");
    }

    #[test]
    fn a_config_of_the_callers_is_a_file_or_its_text_and_what_is_neither_is_told() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("servers.json").display().to_string();
        fs::write(&file, r#"{"mcpServers": {"a": {"command": "x"}}}"#).unwrap();
        let mut troubles = Vec::new();
        let configs = [file, r#"{"mcpServers": {"b": {"command": "y"}}}"#.into(), "{}".into(), "/absent".into()];
        let named = named(&configs, &mut troubles);
        assert_eq!(named.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(troubles.iter().map(|(from, _)| from.as_str()).collect::<Vec<_>>(), ["--mcp-config", "/absent"]);
    }
}
