"""Reads cmake/layers.cmake: the table that CMake, the layer check and ARCHITECTURE.md share."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read_layers():
    """{folder: (folders it may include, what it is)}, in the order of the file."""
    text = (ROOT / "cmake/layers.cmake").read_text()
    row = re.compile(r'^set\(CAMBIUM_ALLOW_(\w+)((?: \w+)*)(?: "")?\)\s*#\s*(.*)$', re.M)
    return {name: (allowed.split(), what) for name, allowed, what in row.findall(text)}


def read_reasons():
    """[(folder, name, text)] from the list in src/base/reasons.h."""
    reasons, folder = [], ""
    for line in (ROOT / "src/base/reasons.h").read_text().splitlines():
        if group := re.match(r"\s*/\* ([\w/ ]+) \*/", line):
            folder = group[1].strip()
        if row := re.match(r'\s*X\((\w+),\s*"(.*)"\)', line):
            reasons.append((folder, row[1], row[2]))
    return reasons
