#!/bin/sh
# Plays, with the real Claude Code and a scripted model, a run that waits for an answer without unattended, the same run
# with it, and what is read of it afterwards. Nothing of yours is touched: each session has a HOME of its own, which is
# removed at the end with all that was started in it.
set -eu

usage() {
    cat <<'EOT'
Usage: docs/demo.sh [--pictures DIR]

Plays the demonstration in this terminal, in about a minute: Claude Code asks
a question and waits; with unattended it goes on; then what was decided, and a
correction. No account, no model and no money: what the model says is a script.

  --pictures DIR   show nothing, and write the screens into DIR as SVG

Needs Linux, tmux, npm with node 18 or later, and Rust. The first time it builds
the program and fetches Claude Code (some 100 MB) from npm into .cache/clients
of this clone, or into the folder named by UNATTENDED_CLIENTS; nothing else is
kept. UNATTENDED_REAL_CLIENT_BINARY names a built program to show instead.
EOT
}

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

pictures=
case ${1:-} in
    '') ;;
    -h | --help)
        usage
        exit 0
        ;;
    --pictures)
        [ -n "${2:-}" ] || fail "--pictures needs a folder" "docs/demo.sh --pictures docs/demo"
        [ -d "$2" ] || fail "there is no folder $2" "make it first"
        pictures=$(CDPATH='' cd -- "$2" && pwd)
        ;;
    *) fail "unknown argument $1" "docs/demo.sh --help lists them" ;;
esac

cd "$(dirname "$0")/.."
[ -x tests/real_client/run ] || fail "this is no clone of unattended" "clone the repository; an archive has no demonstration"
[ "$(uname -s)" = Linux ] || fail "it runs on Linux" "look at the pictures in docs/demo"
need() {
    command -v "$1" >/dev/null 2>&1 || fail "$1 is missing" "$2"
}
need tmux "install it, such as by: apt-get install tmux"
need node "install Node.js 18 or later (nodejs.org), such as by: apt-get install nodejs npm"
need npm "it comes with Node.js, or by: apt-get install npm"
need cargo "install Rust (rustup.rs), and open a new shell"

if [ -z "$pictures" ]; then
    [ -t 1 ] ||
        fail "there is no terminal to show it in" "run it in one, or write the screens with --pictures DIR"
    exec 3<&1
    size=$(stty size <&3) rows=${size% *} columns=${size#* }
    exec 3<&-
    { [ "$rows" -ge 24 ] && [ "$columns" -ge 80 ]; } ||
        fail "the terminal has $columns columns and $rows rows" "make it 80 columns and 24 rows or more"
fi
echo "Making it ready; the first time this builds, and takes some minutes ..." >&2
if [ -n "$pictures" ]; then
    exec tests/real_client/run --demo-pictures "$pictures"
fi
exec tests/real_client/run --demo
