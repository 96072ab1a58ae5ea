//! The installed client: where `claude` is, its version, which events that version knows, and what its managed settings
//! forbid. Asks it for its version alone and starts nothing else.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::{files, program, settings};

/// A client's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// From here on `command` may have `args` and then runs without a shell (by the client's changelog; FACTS.md,
/// Settings 2).
const EXEC_FORM: Version = Version(2, 1, 139);

/// From here on a hook's `updatedInput` may hold the answers to a question (FACTS.md, Questions 5).
const TAKES_ANSWERS: Version = Version(2, 1, 90);

/// Events, and the version that brought them. An event that the client does not know opens a dialog at its start, or
/// makes it drop the whole file (FACTS.md, Settings 1). What is not listed is not registered.
const EVENTS: [(&str, Version); 11] = [
    ("PreToolUse", Version(1, 0, 38)),
    ("PostToolUse", Version(1, 0, 38)),
    ("Notification", Version(1, 0, 38)),
    ("Stop", Version(1, 0, 38)),
    ("SessionStart", Version(1, 0, 62)),
    // By the client's changelog; seen on 2.0.77.
    ("SubagentStart", Version(2, 0, 43)),
    ("SessionEnd", Version(1, 0, 85)),
    ("PermissionRequest", Version(2, 0, 45)),
    ("Elicitation", Version(2, 1, 76)),
    ("StopFailure", Version(2, 1, 78)),
    ("PermissionDenied", Version(2, 1, 89)),
];

/// The oldest client that is tried; one whose version is not known counts as this.
pub const OLDEST: Version = Version(2, 0, 77);

/// As long as a slow machine may need to start the client, and no more.
const VERSION_LIMIT: Duration = Duration::from_secs(15);

impl FromStr for Version {
    type Err = String;

    /// The first `x.y.z` in the text: `claude --version` writes `2.1.332 (Claude Code)`.
    fn from_str(text: &str) -> Result<Self, String> {
        text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .find_map(|word| {
                let mut numbers = word.splitn(3, '.').map(str::parse);
                match (numbers.next(), numbers.next(), numbers.next()) {
                    (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Some(Version(major, minor, patch)),
                    _ => None,
                }
            })
            .ok_or_else(|| "no version: say it like 2.1.332".to_owned())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl Version {
    /// May an event be registered with this version?
    pub fn knows(self, event: &str) -> bool {
        EVENTS.iter().any(|(name, since)| *name == event && *since <= self)
    }

    /// Does it know `args` beside `command`?
    pub fn has_exec_form(self) -> bool {
        self >= EXEC_FORM
    }

    /// Does it take answers to a question from a hook?
    pub fn takes_answers(self) -> bool {
        self >= TAKES_ANSWERS
    }
}

/// The first `claude` in the folders of a `PATH`.
pub fn find(path: &std::ffi::OsStr) -> Option<PathBuf> {
    program::find(path, &format!("claude{}", std::env::consts::EXE_SUFFIX))
}

/// What `CLIENT --version` says. A client that does not answer in 15 seconds is ended.
///
/// # Errors
/// It does not start, does not answer in time or says no version.
pub fn version(client: &Path) -> Result<Version, String> {
    version_within(client, VERSION_LIMIT)
}

fn version_within(client: &Path, limit: Duration) -> Result<Version, String> {
    let mut child = Command::new(client)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("it does not start: {error}"))?;
    let said = listen(&mut child, Instant::now() + limit);
    // Only now: it may have gone already, which is no fault.
    let _ = child.kill();
    let _ = child.wait();
    let said = said.ok_or_else(|| format!("no answer in {} s", limit.as_secs_f32()))?;
    said.parse().map_err(|_| match said.lines().next() {
        Some(line) => format!("it says \"{}\", which is no version", line.chars().take(60).collect::<String>()),
        None => "it says nothing".to_owned(),
    })
}

/// What a child writes to its standard output up to its end or the first line that has a version.
fn listen(child: &mut Child, until: Instant) -> Option<String> {
    let mut stdout = child.stdout.take()?;
    let (tell, hear) = mpsc::channel();
    // Not joined: who has the pipe open may outlive the child.
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(read) = stdout.read(&mut buffer) {
            if tell.send(buffer.get(..read).unwrap_or_default().to_vec()).is_err() || read == 0 {
                break;
            }
        }
    });
    let mut said = Vec::new();
    loop {
        let left = until.checked_duration_since(Instant::now())?;
        let piece = hear.recv_timeout(left).ok()?;
        said.extend_from_slice(&piece);
        let text = String::from_utf8_lossy(&said);
        if piece.is_empty() || (text.contains('\n') && text.parse::<Version>().is_ok()) || said.len() > 65536 {
            return Some(text.into_owned());
        }
    }
}

/// A managed setting that keeps our hooks from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    /// The file that it stands in.
    pub file: PathBuf,
    /// The setting.
    pub key: &'static str,
}

/// The folder of the managed settings, which an administrator writes and no other settings can overrule.
pub fn managed_folder() -> &'static Path {
    Path::new(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    })
}

/// A setting in `managed-settings.json` or `managed-settings.d/*.json` of a folder that keeps hooks of the user's own
/// settings from running; a later file's word holds (2.1.332). What comes from a server, the registry or a profile is not
/// looked at.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn forbidden(folder: &Path) -> io::Result<Option<Forbidden>> {
    let mut found: Vec<Forbidden> = Vec::new();
    for file in managed_files(folder) {
        let Some(bytes) = files::read(&file)? else { continue };
        for (key, said) in settings::forbids(&String::from_utf8_lossy(&bytes)) {
            let Some(forbidden) = said else { continue };
            found.retain(|other| other.key != key);
            found.extend(forbidden.then(|| Forbidden { file: file.clone(), key }));
        }
    }
    Ok(found.into_iter().next())
}

/// The files of managed settings in a folder, in the order in which the client lays them over each other; the first may
/// be absent.
pub fn managed_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![folder.join("managed-settings.json")];
    if let Ok(entries) = fs::read_dir(folder.join("managed-settings.d")) {
        let mut more: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        more.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        more.sort();
        files.extend(more);
    }
    files
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("2.1.332 (Claude Code)\n", Some(Version(2, 1, 332)))]
    #[case("claude 2.0.77", Some(Version(2, 0, 77)))]
    #[case("2.1.50-beta.1", Some(Version(2, 1, 50)))]
    #[case("2.1", None)]
    #[case("latest", None)]
    #[case("", None)]
    fn a_version_is_the_first_three_numbers(#[case] text: &str, #[case] want: Option<Version>) {
        assert_eq!(text.parse().ok(), want);
    }

    #[rstest]
    #[case(Version(2, 0, 42), 6)]
    #[case(Version(2, 0, 44), 7)]
    #[case(Version(2, 0, 45), 8)]
    #[case(OLDEST, 8)]
    #[case(Version(2, 1, 75), 8)]
    #[case(Version(2, 1, 76), 9)]
    #[case(Version(2, 1, 77), 9)]
    #[case(Version(2, 1, 78), 10)]
    #[case(Version(2, 1, 88), 10)]
    #[case(Version(2, 1, 89), 11)]
    fn a_version_knows_what_came_up_to_it(#[case] version: Version, #[case] events: usize) {
        assert_eq!(EVENTS.iter().filter(|(event, _)| version.knows(event)).count(), events);
        assert!(!version.knows("SomethingNew"));
    }

    #[test]
    fn every_event_of_the_template_has_its_version() {
        let all = settings::wanted("/bin/unattended", settings::Form::Exec, settings::Waits::default(), |_| true);
        for wanted in all {
            assert!(Version(2, 1, 332).knows(&wanted.event), "{}", wanted.event);
        }
    }

    #[cfg(unix)]
    #[rstest]
    #[case::the_answer("echo '2.1.332 (Claude Code)'", Ok(Version(2, 1, 332)))]
    #[case::then_it_hangs("echo '2.1.332 (Claude Code)'; sleep 60", Ok(Version(2, 1, 332)))]
    #[case::it_hangs("sleep 60", Err("no answer in 1 s"))]
    #[case::nothing("exit 1", Err("it says nothing"))]
    #[case::nonsense("echo hello", Err("it says \"hello\", which is no version"))]
    fn the_client_says_its_version_in_time(#[case] script: &str, #[case] want: Result<Version, &str>) {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let client = home.path().join("claude");
        // By another process: a file that a child of a test beside has open for writing cannot be run.
        let text = home.path().join("text");
        fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
        assert!(Command::new("cp").args([&text, &client]).status().unwrap().success());
        assert_eq!(find(home.path().as_os_str()), None, "not executable yet");
        fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(home.path().as_os_str()), Some(client.clone()));
        assert_eq!(version_within(&client, Duration::from_secs(1)), want.map_err(str::to_owned));
    }

    #[rstest]
    #[case::nothing(&[], None)]
    #[case::harmless(&[("managed-settings.json", r#"{"model": "opus", "allowManagedHooksOnly": false}"#)], None)]
    #[case::all_off(&[("managed-settings.json", r#"{"disableAllHooks": true}"#)], Some("disableAllHooks"))]
    #[case::managed_only(&[("managed-settings.json", r#"{"allowManagedHooksOnly": true}"#)], Some("allowManagedHooksOnly"))]
    #[case::plugins_only(
        &[("managed-settings.json", r#"{"strictPluginOnlyCustomization": ["mcp", "hooks"]}"#)],
        Some("strictPluginOnlyCustomization")
    )]
    #[case::plugins_only_for_others(
        &[("managed-settings.json", r#"{"strictPluginOnlyCustomization": ["mcp"]}"#)],
        None
    )]
    #[case::in_the_folder(
        &[("managed-settings.json", "{}"), ("managed-settings.d/10-hooks.json", r#"{"allowManagedHooksOnly": true}"#)],
        Some("allowManagedHooksOnly")
    )]
    #[case::overruled_in_the_folder(
        &[("managed-settings.json", r#"{"allowManagedHooksOnly": true}"#),
          ("managed-settings.d/10-hooks.json", r#"{"allowManagedHooksOnly": false}"#)],
        None
    )]
    #[case::another_file_in_the_folder(&[("managed-settings.d/notes.txt", r#"{"disableAllHooks": true}"#)], None)]
    fn a_managed_setting_forbids_our_hooks(#[case] files: &[(&str, &str)], #[case] key: Option<&str>) {
        let etc = tempfile::tempdir().unwrap();
        fs::create_dir(etc.path().join("managed-settings.d")).unwrap();
        for (name, text) in files {
            fs::write(etc.path().join(name), text).unwrap();
        }
        let found = forbidden(etc.path()).unwrap();
        assert_eq!(found.as_ref().map(|forbidden| forbidden.key), key);
        if let Some(found) = found {
            assert_eq!(found.file, etc.path().join(files.last().unwrap().0));
        }
    }
}
