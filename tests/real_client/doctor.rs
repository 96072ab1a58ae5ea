//! `unattended doctor` beside the real client: what it says of a home is held against what the client does there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::cells::{NEWEST, VERSIONS};
use crate::client::Client;
use crate::driver::{Happened, Start, Way};
use crate::home::Home;
use crate::oauth::Oauth;

/// How long a client may take to show that it asks, or that our hooks run.
const LIMIT: Duration = Duration::from_secs(40);

/// Something that keeps a run from going on, or that looks so.
struct Case {
    name: &'static str,
    /// What is done to a sound home.
    spoil: fn(&Home) -> Result<()>,
    /// What doctor must find beside what it finds in a sound home: `in-force hooks-off`.
    finds: &'static [&'static str],
    /// What the client must do.
    client: Does,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    /// A terminal session starts, and our hooks run.
    Starts,
    /// A terminal session asks something first, and our hooks do not run.
    Asks,
    /// A plain `-p` session goes by without our hooks.
    GoesByUs,
}

const CASES: [Case; 10] = [
    Case { name: "sound", spoil: |_| Ok(()), finds: &[], client: Does::Starts },
    Case {
        name: "off-by-user",
        spoil: |home| set(home, ".claude/settings.json", "disableAllHooks", json!(true)),
        finds: &["in-force hooks-off"],
        client: Does::GoesByUs,
    },
    Case {
        name: "off-by-project",
        spoil: |home| write(home, "project/.claude/settings.json", r#"{"disableAllHooks": true}"#),
        finds: &["in-force hooks-off"],
        client: Does::GoesByUs,
    },
    Case { name: "off-by-managed", spoil: managed, finds: &["in-force hooks-off"], client: Does::GoesByUs },
    Case {
        name: "broken-settings",
        spoil: |home| {
            let file = home.folder().join(".claude/settings.json");
            Ok(std::fs::write(&file, std::fs::read_to_string(&file)?.replacen(':', "", 1))?)
        },
        finds: &["in-force broken-settings", "wiring none"],
        client: Does::GoesByUs,
    },
    Case {
        name: "untrusted",
        spoil: |home| set(home, ".claude.json", "projects", json!({})),
        finds: &["in-force untrusted"],
        client: Does::Asks,
    },
    Case { name: "worktree", spoil: worktree, finds: &[], client: Does::Starts },
    Case {
        name: "onboarding",
        spoil: |home| set(home, ".claude.json", "hasCompletedOnboarding", json!(false)),
        finds: &["in-force onboarding"],
        client: Does::Asks,
    },
    Case {
        name: "bypass",
        spoil: |home| {
            set(home, ".claude.json", "bypassPermissionsModeAccepted", json!(false))?;
            set(home, ".claude/settings.json", "skipDangerousModePermissionPrompt", json!(false))?;
            set(home, ".claude/settings.json", "permissions", json!({"defaultMode": "bypassPermissions"}))
        },
        finds: &["in-force bypass-disclaimer"],
        client: Does::Asks,
    },
    Case {
        name: "pending-server",
        spoil: |home| write(home, "project/.mcp.json", r#"{"mcpServers": {"pend": {"command": "/bin/cat"}}}"#),
        finds: &["mcp pending"],
        client: Does::Asks,
    },
];

/// The trials; those with older clients belong to the whole matrix.
pub fn trials(all: bool, binary: &Path, wants: impl Fn(&str) -> bool) -> Vec<Trial> {
    let mut trials = Vec::new();
    for case in CASES {
        let binary = binary.to_path_buf();
        let name = format!("doctor/{NEWEST}/{}", case.name);
        trials.push(Trial::test(name, move || told(try_case(&case, &binary))));
    }
    for version in versions(all) {
        let binary = binary.to_path_buf();
        trials.push(Trial::test(format!("doctor/{version}/servers"), move || told(try_servers(version, &binary))));
    }
    trials.retain(|trial| wants(trial.name()));
    trials
}

/// The clients that these trials need.
pub fn versions(all: bool) -> Vec<&'static str> {
    if all { VERSIONS.to_vec() } else { vec![NEWEST] }
}

fn told(result: Result<()>) -> Result<(), Failed> {
    result.map_err(|error| format!("{error:#}").into())
}

/// A home with our hooks, on which nothing stands in the way of a run.
fn home(version: &str, binary: &Path) -> Result<Home> {
    let mut home = Home::make(&Client::cached(version)?, "default")?;
    // Nobody is there: what is asked of it fails at once.
    home.talk_to("http://127.0.0.1:9".to_owned());
    // Behind a gateway the newest client's own default would be a gate.
    set(&home, ".claude/settings.json", "permissions", json!({"defaultMode": "acceptEdits"}))?;
    std::fs::copy(binary, home.folder().join("bin/unattended"))?;
    let binary = home.folder().join("bin/unattended");
    home.run(&binary, &["install", "--client-version", version])?;
    home.run(&binary, &["on"])?;
    Ok(home)
}

fn try_case(case: &Case, binary: &Path) -> Result<()> {
    let home = home(NEWEST, binary)?;
    (case.spoil)(&home)?;
    let (report, sound) =
        doctor(&home, if case.finds.iter().any(|it| it.starts_with("mcp")) { &[] } else { &["--no-mcp"] })?;
    let found = found(&report);
    if case.finds.iter().any(|wanted| !found.iter().any(|found| found == wanted)) || case.finds.is_empty() != sound {
        bail!("doctor found {found:?}, not {:?}", case.finds);
    }
    let does = match case.client {
        Does::GoesByUs => by_print(&home)?,
        _ => by_terminal(&home)?,
    };
    if does != case.client {
        bail!("doctor found {found:?}, but the client: {does:?}");
    }
    Ok(())
}

/// Servers of every kind are told apart, and the client's files stay as they are.
fn try_servers(version: &str, binary: &Path) -> Result<()> {
    let oauth = Oauth::start()?;
    let home = home(version, binary)?;
    let own = std::env::current_exe()?;
    let secret = "sk-planted-0123456789abcdef";
    let servers = json!({
        "good": {"type": "stdio", "command": own, "args": ["serve-mcp"], "env": {}},
        "login": {"type": "http", "url": oauth.url(), "headers": {"X-Key": secret}},
        "dead": {"type": "http", "url": format!("http://127.0.0.1:9/mcp?key={secret}")},
        "missing": {"type": "stdio", "command": "/no/such/server", "args": ["--key", secret], "env": {}},
    });
    set(&home, ".claude.json", "mcpServers", servers)?;
    let started = home.folder().join("started");
    let theirs = json!({"mcpServers": {"theirs": {"command": "/usr/bin/touch", "args": [started]}}});
    write(&home, "project/.mcp.json", &theirs.to_string())?;
    let mine = json!({"mcpServers": {"mine": {"type": "stdio", "command": "/no/such/server"}}}).to_string();
    let before = files(&home.folder())?;
    let (report, _) = doctor(&home, &["--mcp-config", &mine])?;
    if files(&home.folder())? != before {
        bail!("a file of the client has changed");
    }
    let mut found: Vec<String> = report["findings"]
        .as_array()
        .context("no findings")?
        .iter()
        .filter(|finding| finding["id"] == "mcp")
        .map(|finding| {
            format!(
                "{} {}",
                finding["subject"].as_str().unwrap_or_default(),
                finding["about"].as_str().unwrap_or_default()
            )
        })
        .collect();
    found.sort();
    if found != ["dead failed", "login needs-login", "mine failed", "missing failed", "theirs pending"] {
        bail!("{found:?}: {report:#}");
    }
    if report.to_string().contains("planted") {
        bail!("a secret is told: {report:#}");
    }
    if started.exists() {
        bail!("a server that nobody has approved was started");
    }
    // What is sound is told as sound.
    std::fs::remove_file(home.project().join(".mcp.json"))?;
    set(
        &home,
        ".claude.json",
        "mcpServers",
        json!({"good": {"type": "stdio", "command": own, "args": ["serve-mcp"]}}),
    )?;
    let (report, sound) = doctor(&home, &[])?;
    if !sound {
        bail!("with the good server alone: {report:#}");
    }
    Ok(())
}

fn doctor(home: &Home, more: &[&str]) -> Result<(Value, bool)> {
    let output = command(home, "unattended").args(["doctor", "--json"]).args(more).output()?;
    let report = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no report: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((report, output.status.success()))
}

/// `id about` of what failed.
fn found(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().into_iter().flatten().filter(|finding| finding["state"] == "failure");
    findings
        .map(|it| format!("{} {}", it["id"].as_str().unwrap_or_default(), it["about"].as_str().unwrap_or_default()))
        .collect()
}

/// What a plain `-p` session does. It cannot reach the API, and has started by then.
fn by_print(home: &Home) -> Result<Does> {
    let mut command = command(home, "claude");
    command.args(["-p", "hello"]).env("CLAUDE_CODE_MAX_RETRIES", "0").output()?;
    Ok(if has_started(home) { Does::Starts } else { Does::GoesByUs })
}

fn by_terminal(home: &Home) -> Result<Does> {
    let (bell, heard) = channel();
    // The mode is that of the settings, where they say one that asks.
    let settings = home.read(".claude/settings.json")?;
    let mode = settings["permissions"]["defaultMode"].as_str().unwrap_or("acceptEdits");
    let mut session = Way::Tui.start(Start { home, mode, prompt: "", closing: "", extra: &[], bell })?;
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        match heard.recv_timeout(Duration::from_millis(100)) {
            Ok(Happened::Wrote(bytes)) => session.take(&bytes),
            Ok(Happened::Closed) => bail!("the client ended: {}", session.last_seen()),
            _ => {}
        }
        if has_started(home) {
            return Ok(Does::Starts);
        }
        let screen = session.screen().unwrap_or_default();
        if session.waits_for().is_some() || screen.contains("Choose the text style") {
            return Ok(Does::Asks);
        }
    }
    Err(anyhow!("neither a dialog nor our hook in {LIMIT:?}; last: {}", session.last_seen()))
}

/// Whether our hook has seen a session begin.
fn has_started(home: &Home) -> bool {
    let Ok(entries) = std::fs::read_dir(home.state().join("records")) else { return false };
    let texts = entries.flatten().filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    texts.into_iter().any(|text| text.contains("\"event\":\"SessionStart\""))
}

/// Managed settings are in /etc, whatever HOME is: a copy of it lies over it for what is run here, and for nothing else.
fn managed(home: &Home) -> Result<()> {
    let etc = home.folder().join("etc");
    // What may not be read is not needed.
    home.command("cp").args(["-a", "/etc"]).arg(&etc).stderr(Stdio::null()).status()?;
    std::fs::create_dir_all(etc.join("claude-code/managed-settings.d"))?;
    let settings = |name: &str, text: &str| std::fs::write(etc.join("claude-code").join(name), text);
    settings("managed-settings.json", r#"{"allowManagedHooksOnly": false}"#)?;
    Ok(settings("managed-settings.d/10-hooks.json", r#"{"allowManagedHooksOnly": true}"#)?)
}

/// A program of the home, under its managed settings if it has any.
fn command(home: &Home, program: &str) -> Command {
    let program = home.folder().join("bin").join(program);
    if !home.folder().join("etc").exists() {
        return home.command(program);
    }
    let mut command = home.command("unshare");
    command.args(["--mount", "sh", "-c", r#"mount --bind "$HOME/etc" /etc && exec "$0" "$@""#]).arg(program);
    command
}

/// A linked work tree in the place of the project, of a repository that is trusted.
fn worktree(home: &Home) -> Result<()> {
    let project = home.project();
    let main = home.folder().join("main");
    std::fs::create_dir(&main)?;
    let git = |args: &[&str]| -> Result<()> {
        let mut all =
            vec!["-c", "user.name=dev", "-c", "user.email=dev@localhost", "-C", main.to_str().context("no text")?];
        all.extend(args);
        home.run("git", &all).map(|_| ())
    };
    git(&["init", "--quiet"])?;
    git(&["commit", "--quiet", "--allow-empty", "--message", "first"])?;
    // git takes an empty folder for it.
    std::fs::remove_file(project.join("notes.txt"))?;
    git(&["worktree", "add", "--quiet", project.to_str().context("no text")?])?;
    set(home, ".claude.json", "projects", json!({main.display().to_string(): {"hasTrustDialogAccepted": true}}))
}

fn set(home: &Home, name: &str, key: &str, value: Value) -> Result<()> {
    let mut file = home.read(name)?;
    file[key] = value;
    home.write(name, &file)
}

fn write(home: &Home, name: &str, text: &str) -> Result<()> {
    let file = home.folder().join(name);
    std::fs::create_dir_all(file.parent().context("no folder")?)?;
    Ok(std::fs::write(file, text)?)
}

/// Every file below a folder, but the client's logs of servers.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() && entry.file_name() != ".cache" {
                folders.push(entry.path());
            } else if entry.file_type()?.is_file() {
                all.insert(entry.path(), std::fs::read(entry.path())?);
            }
        }
    }
    Ok(all)
}
