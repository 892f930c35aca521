#!/bin/sh
# Installs Focus Companion for this user on Debian, Ubuntu or Raspberry Pi OS, and has it run as a service.
#
#   ./install.sh [OPTIONS of play]   packages, program, service; prints the address of the page
#   ./install.sh --uninstall         takes service and program away; games, settings and system packages stay
#
# Run again it changes nothing that is as it should be. It asks for the password (sudo) only where a system package
# is missing and to let the service run while nobody is logged in. Nothing else outside of your home is touched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
state="${XDG_STATE_HOME:-$HOME/.local/state}/focus_companion"
stamp="$state/installed"
bin="${PIPX_BIN_DIR:-$HOME/.local/bin}"
program="$bin/focus-companion"
unit="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/focus-companion.service"

say() { printf '%s\n' "$*"; }
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 2; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

uninstall() {
    if [ -e "$unit" ] && [ -x "$program" ]; then "$program" service uninstall; fi
    if [ -x "$program" ]; then pipx uninstall focus-companion; else say "The program is not installed."; fi
    rm -f "$stamp"
    say "Your games stay in ${FOCUS_COMPANION_DATA:-${XDG_DATA_HOME:-$HOME/.local/share}/focus_companion}"
}

packages() {
    command -v apt-get >/dev/null || fail "this needs a system with apt; elsewhere: pipx install $here"
    wanted="pipx espeak-ng"
    # The Pi's own camera and pins: only Raspberry Pi OS has the first.
    if [ -e /etc/rpi-issue ]; then wanted="$wanted python3-picamera2 python3-lgpio"; fi
    missing=""
    for name in $wanted; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q ' installed$' || missing="$missing $name"
    done
    [ -n "$missing" ] || return 0
    say "Installing the system packages$missing"
    as_root apt-get update -q
    # shellcheck disable=SC2086  # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

# What is installed is told by what it was made from: a checkout that has changed is installed anew.
source_sum() {
    (cd "$here" && find focus_companion calibration pyproject.toml -type f ! -name '*.pyc' -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}

program() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "Python 3.11 or newer is needed: Debian 12, Ubuntu 24.04, Raspberry Pi OS 12 or newer"
    sum=$(source_sum)
    if [ -x "$program" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ]; then
        say "The program is installed already."
        return 0
    fi
    set -- --force
    if [ -e /etc/rpi-issue ]; then
        set -- "$@" --system-site-packages
        # The system's picamera2 is built for the system's NumPy.
        major=$(python3 -c 'import numpy; print(numpy.__version__.split(".")[0])' 2>/dev/null || echo 2)
        if [ "$major" -lt 2 ]; then
            mkdir -p "$state"
            echo "numpy<2" >"$state/constraint.txt"
            set -- "$@" --pip-args="--constraint=$state/constraint.txt"
        fi
    fi
    pipx install "$@" "$here"
    mkdir -p "$state"
    printf '%s\n' "$sum" >"$stamp"
    changed=yes
}

service() {
    # --lan, so that phones in the same network can open the page; to act they need the PIN.
    if [ "$#" -eq 0 ]; then set -- --lan; fi
    if [ "$changed" = no ] && [ -e "$unit" ] && "$program" service install --print "$@" | cmp -s - "$unit"; then
        say "The service is installed already."
        return 0
    fi
    if command -v loginctl >/dev/null && [ "$(loginctl show-user "$(id -un)" -p Linger --value 2>/dev/null)" = no ]; then
        as_root loginctl enable-linger "$(id -un)" || say "The service runs only while you are logged in."
    fi
    "$program" service install --user "$@"
}

changed=no
case "${1:-}" in
    --uninstall) uninstall; exit 0 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ -e "$here/pyproject.toml" ] || fail "run it where it lies, in the folder of Focus Companion"
packages
program
service "$@"
if systemctl --user show-environment >/dev/null 2>&1; then
    exec "$program" service address
fi
say "No systemd runs for this user here, so the service does not either. By hand: $program play --lan"
