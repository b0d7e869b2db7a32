#!/bin/sh
# tools/setup.sh SECTION...: makes sure that the packages of these sections of packages.txt are
# installed. Installs what is missing when it may (root, or sudo without a password); otherwise
# prints the line to run, and fails.
set -eu
list=$(dirname "$0")/../packages.txt

names() {
  awk -v wanted=" $* " '
    /^\[/ { gsub(/[][]/, ""); inside = index(wanted, " " $1 " ") > 0; next }
    inside && $1 != "" && $1 !~ /^#/ { print $1 }' "$list"
}

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; needed here are: $(names "$@" | tr '\n' ' ')" >&2
  exit 0
fi

missing=
for name in $(names "$@"); do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=env
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root="sudo env"
else
  echo "setup: packages are missing; run" >&2
  echo "  sudo apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "setup: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # the words of $missing are separate packages
$as_root DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
