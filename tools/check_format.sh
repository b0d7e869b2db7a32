#!/bin/sh
# Fails, and names the places, if clang-format would change anything.
cd "$(dirname "$0")/.." && tools/sources.sh | xargs clang-format --dry-run --Werror
