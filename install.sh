#!/bin/sh
# Installs unattended from this clone: builds the release, puts it into ~/.local/bin, registers the hooks, and shows a
# denied question. No sudo. Undo: unattended uninstall, then remove the executable.
set -eu

usage() {
    cat <<'EOT'
Usage: ./install.sh [--prefix DIR]

  --prefix DIR   install to DIR/bin instead of ~/.local/bin
EOT
}

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

prefix=${HOME:+$HOME/.local}
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || fail "--prefix needs a folder" "say it like --prefix /opt/unattended"
            prefix=$2
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "unknown argument $1" "./install.sh --help lists them" ;;
    esac
    shift
done
[ -n "$prefix" ] || fail "HOME is not set" "set it, or name a folder with --prefix"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ -f "$here/Cargo.toml" ] || fail "$here is no clone of unattended" "run install.sh where it lies"
cd "$here"

command -v cargo >/dev/null 2>&1 ||
    fail "cargo is missing, and this builds from source" "install Rust (rustup.rs), open a new shell, run ./install.sh again"

# A static musl executable starts more than twice as fast as one for glibc, and a hook does little else than start.
target=
case $(uname -s)-$(uname -m) in
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64) target=aarch64-unknown-linux-musl ;;
esac
has_target() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]
}
if [ -n "$target" ] && ! has_target "$target"; then
    if command -v rustup >/dev/null 2>&1; then rustup target add "$target" >/dev/null 2>&1 || true; fi
    if ! has_target "$target"; then
        echo "note: the target $target cannot be had (rustup target add $target)."
        echo "note: building for this machine's own C library; each hook call starts slower."
        target=
    fi
fi

echo "Building the release (a minute or two) ..."
cargo build --release --locked --quiet ${target:+--target "$target"} ||
    fail "the build failed" "the compiler's words stand above"
built=${CARGO_TARGET_DIR:-target}/${target:+$target/}release/unattended
[ -x "$built" ] || fail "no executable at $built" "check CARGO_TARGET_DIR and the build's output"

bin=$prefix/bin
mkdir -p "$bin" || fail "could not make $bin" "name another folder with --prefix"
# Put in place by a rename: a hook that runs right now keeps the old executable.
put_in_place() {
    cp "$built" "$bin/.unattended.new" && chmod 755 "$bin/.unattended.new" &&
        mv -f "$bin/.unattended.new" "$bin/unattended"
}
put_in_place || fail "could not write to $bin" "name another folder with --prefix"
echo "Installed $("$bin/unattended" --version) to $bin/unattended"

echo
"$bin/unattended" install

echo
echo "A recorded question, piped through the installed hook (its state a throwaway):"
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
throwaway() {
    UNATTENDED=on UNATTENDED_STATE=$state UNATTENDED_CONFIG=$state/none.toml "$bin/unattended" "$@"
}
question=$(grep '"PreToolUse"' tests/fixtures/2.1.332/question-unanswered.jsonl)
answer=$(printf '%s' "$question" | throwaway hook --for PreToolUse:AskUserQuestion)
case $answer in
    *'"permissionDecision":"deny"'*) ;;
    *) fail "the hook did not deny it: ${answer:-no answer}" "please report this with the line above" ;;
esac
wrap() {
    if command -v fold >/dev/null 2>&1; then fold -s -w 76; else cat; fi | sed 's/^/  /'
}
printf '%s\n' "$answer" | wrap
echo "and its record:"
cat "$state"/records/*.jsonl | wrap

echo
"$bin/unattended" status
case :${PATH:-}: in
    *:"$bin":*) ;;
    *) printf '\nnote: %s is not on PATH. The hooks do not need it, but you do:\n  PATH=%s:%s\n' "$bin" "$bin" "\$PATH" ;;
esac
