//! Runs the suite again inside a network namespace with loopback only, and a process namespace that ends with it, so
//! that nothing leaves the machine and nothing stays behind.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Set inside, to the process id outside: not to be entered twice.
const INSIDE: &str = "UNATTENDED_REAL_CLIENT_INSIDE";

/// Loopback up; a place of its own for the supervisors of background sessions, which they put below /tmp whatever
/// TMPDIR says. The shell stays as the first process, since that one gets no signal it does not expect: it takes
/// Ctrl-C, and everything inside ends with it.
const INSIDE_FIRST: &str = r#"ip link set lo up && d=/tmp/cc-daemon-$(id -u) && mkdir -p "$d" &&
mount -t tmpfs -o mode=0700 tmpfs "$d" || exit 1
trap 'exit 130' INT TERM HUP
"$0" "$@" &
wait $!"#;

/// Whether this process is inside already.
pub fn inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Whether the namespaces can be made here: some systems deny them to all but root.
pub fn possible() -> bool {
    let tried = unshare().args(["sh", "-c", INSIDE_FIRST, "true"]).output();
    inside() || tried.is_ok_and(|output| output.status.success())
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command.args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command
}

/// Replaces this process by the same one inside the namespaces; returns at once when inside already.
pub fn enter() -> Result<()> {
    if inside() {
        return alone();
    }
    let error = unshare()
        .args(["sh", "-c"])
        .arg(INSIDE_FIRST)
        .arg(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(INSIDE, "1")
        .exec();
    Err(error).context("`unshare` cannot be run (Debian: package util-linux; `ip` is in iproute2)")
}

/// Fails unless loopback is the only network interface.
fn alone() -> Result<()> {
    let mut others = Vec::new();
    // The list of the current namespace; /sys/class/net may still be that of the outside.
    for line in std::fs::read_to_string("/proc/net/dev")?.lines().skip(2) {
        let name = line.split(':').next().unwrap_or_default().trim();
        if name != "lo" {
            others.push(name.to_owned());
        }
    }
    if !others.is_empty() {
        bail!("the namespace has more interfaces than loopback: {}", others.join(", "));
    }
    Ok(())
}
