#!/bin/bash
# tools/gpu_bundle.sh DIR: collects the small libraries that a GPU server without our packages lacks.
# The build takes them by -DCAMBIUM_DEPS=DIR. Headers and sources wherever possible; SQLite and zlib
# come as static libraries, because Debian ships no sources of theirs beside the headers. They are
# plain C built against an older glibc than the server's, which links there.
set -euo pipefail
target=$1
archives=$(dirname "$(gcc -print-file-name=libsqlite3.a)")
rm -rf "$target"
mkdir -p "$target/include" "$target/lib" "$target/googletest/src"
cp -r /usr/include/{nlohmann,CLI,fmt,spdlog} "$target/include/"
cp /usr/include/{sqlite3.h,sqlite3ext.h,zlib.h,zconf.h} "$target/include/"
cp /usr/include/{xxhash.h,xxh3.h} "$target/include/"
cp "$archives"/{libsqlite3.a,libz.a} "$target/lib/"
cp -r /usr/src/googletest/googletest/include "$target/googletest/"
cp /usr/src/googletest/googletest/src/* "$target/googletest/src/"
{
  echo "# Packages that the files of this folder come from."
  dpkg-query -W nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev libsqlite3-dev zlib1g-dev \
    libxxhash-dev googletest
} > "$target/MANIFEST"
du -sh "$target"
