#!/bin/sh
# Installs unattended: builds the release from this clone, or takes it from an archive whose checksum is right, puts it
# into ~/.local/bin, registers the hooks, and shows a denied question. No sudo. Undo: unattended uninstall, then remove
# the executable.
set -eu

usage() {
    cat <<'EOT'
Usage: ./install.sh [--prefix DIR] [--from ARCHIVE [--sha256 SUM]]

  --prefix DIR     install to DIR/bin instead of ~/.local/bin
  --from ARCHIVE   take the executable from a release's .tar.gz; nothing is built
  --sha256 SUM     the archive's checksum [default: as SHA256SUMS beside it says]

In a folder unpacked from an archive, ./install.sh installs what lies there.
EOT
}

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

prefix=${HOME:+$HOME/.local} archive='' sum=''
while [ $# -gt 0 ]; do
    case $1 in
        --prefix | --from | --sha256)
            [ -n "${2:-}" ] || fail "$1 needs a value" "./install.sh --help shows how"
            case $1 in
                --prefix) prefix=$2 ;;
                --from) archive=$2 ;;
                --sha256) sum=$2 ;;
            esac
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
[ -z "$sum" ] || [ -n "$archive" ] || fail "--sha256 is the checksum of an archive" "name the archive with --from"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Unpacks the archive once its checksum is right, and says where.
unpacked() {
    [ -f "$archive" ] || fail "there is no archive $archive" "name the .tar.gz of a release"
    name=$(basename -- "$archive") sums=$(dirname -- "$archive")/SHA256SUMS
    if [ -z "$sum" ]; then
        [ -f "$sums" ] || fail "there is no SHA256SUMS beside $archive" "fetch it with the archive, or name the sum with --sha256"
        sum=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1; exit }' "$sums")
        [ -n "$sum" ] || fail "$sums does not name $name" "fetch both from the same release"
    fi
    if command -v sha256sum >/dev/null 2>&1; then is=$(sha256sum <"$archive"); else is=$(shasum -a 256 <"$archive"); fi
    [ "${is%% *}" = "$(printf %s "$sum" | tr A-F a-f)" ] ||
        fail "the checksum of $archive is ${is%% *}, not $sum: nothing was installed" "fetch the archive again; if it stays so, do not use it"
    tar -xzf "$archive" -C "$work" || fail "$archive cannot be unpacked" "name the .tar.gz of a release"
    dirname "$(dirname "$work"/*/bin/unattended)"
}

# Builds the release, and says where it is. A static musl executable starts more than twice as fast as one for glibc, and
# a hook does little else than start.
build() {
    cd "$here"
    command -v cargo >/dev/null 2>&1 ||
        fail "cargo is missing, and this builds from source" "install Rust (rustup.rs), open a new shell, run ./install.sh again; or install --from an archive"
    target=
    case $(uname -s)-$(uname -m) in
        Linux-x86_64) target=x86_64-unknown-linux-musl ;;
        Linux-aarch64) target=aarch64-unknown-linux-musl ;;
    esac
    has_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; }
    if [ -n "$target" ] && ! has_target; then
        if command -v rustup >/dev/null 2>&1; then rustup target add "$target" >/dev/null 2>&1 || true; fi
        if ! has_target; then
            echo "note: the target $target cannot be had (rustup target add $target)." >&2
            echo "note: building for this machine's own C library; each hook call starts slower." >&2
            target=
        fi
    fi
    echo "Building the release (a minute or two) ..." >&2
    cargo build --release --locked --quiet ${target:+--target "$target"} ||
        fail "the build failed" "the compiler's words stand above"
    echo "${CARGO_TARGET_DIR:-target}/${target:+$target/}release/unattended"
}

question=$here/examples/question.json
if [ -n "$archive" ]; then
    from=$(unpacked)
    built=$from/bin/unattended question=$from/examples/question.json
elif [ -f "$here/Cargo.toml" ]; then
    built=$(build)
    cd "$here"
else
    built=$here/bin/unattended
fi
[ -f "$built" ] || fail "there is no executable $built" "run install.sh in a clone or an unpacked archive; check CARGO_TARGET_DIR"

bin=$prefix/bin
mkdir -p "$bin" || fail "could not make $bin" "name another folder with --prefix"
# Tried beside its place, then put there by a rename: a hook that runs right now keeps the old executable.
new=$bin/.unattended.new
{ cp "$built" "$new" && chmod 755 "$new"; } || fail "could not write to $bin" "name another folder with --prefix"
version=$("$new" --version 2>/dev/null) || {
    rm -f "$new"
    fail "the executable does not run here ($(uname -sm))" "take the archive for this machine, or build from a clone"
}
mv -f "$new" "$bin/unattended"
echo "Installed $version to $bin/unattended"

echo
"$bin/unattended" install

echo
echo "A recorded question, piped through the installed hook (its state a throwaway):"
throwaway() {
    UNATTENDED=on UNATTENDED_STATE=$work/state UNATTENDED_CONFIG=$work/none.toml "$bin/unattended" "$@"
}
answer=$(throwaway hook --for PreToolUse:AskUserQuestion <"$question")
case $answer in
    *'"permissionDecision":"deny"'*) ;;
    *) fail "the hook did not deny it: ${answer:-no answer}" "please report this with the line above" ;;
esac
wrap() {
    if command -v fold >/dev/null 2>&1; then fold -s -w 76; else cat; fi | sed 's/^/  /'
}
printf '%s\n' "$answer" | wrap
echo "and its record:"
cat "$work"/state/records/*.jsonl | wrap

echo
"$bin/unattended" status
case :${PATH:-}: in
    *:"$bin":*) ;;
    *) printf '\nnote: %s is not on PATH. The hooks do not need it, but you do:\n  PATH=%s:%s\n' "$bin" "$bin" "\$PATH" ;;
esac
