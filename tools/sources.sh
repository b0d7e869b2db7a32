#!/bin/sh
# Prints the C++ files of the project that git knows or would know, one a line.
cd "$(dirname "$0")/.." && git ls-files --cached --others --exclude-standard -- '*.h' '*.cpp' '*.cu' |
  sort -u | while read -r file; do [ -f "$file" ] && echo "$file"; done
