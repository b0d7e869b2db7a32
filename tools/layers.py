"""Reads cmake/layers.cmake: the table that CMake, the layer check and ARCHITECTURE.md share."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read_layers():
    """{row: (rows it may include, what it is)}, in the order of the file. A row is a folder of src."""
    text = (ROOT / "cmake/layers.cmake").read_text()
    row = re.compile(r'^set\(CAMBIUM_ALLOW_([\w/]+)((?: [\w/]+)*)(?: "")?\)\s*#\s*(.*)$', re.M)
    return {name: (allowed.split(), what) for name, allowed, what in row.findall(text)}


def row_of(folder, layers):
    """The row that a folder obeys: its own or the nearest one above it."""
    while folder not in layers and "/" in folder:
        folder = folder.rpartition("/")[0]
    return folder


def may_include(row, other, layers):
    """As cambium_check_edge of cmake/layer_edges.cmake: from outside, a row admits what is below it."""
    if row == other or other in layers[row][0]:
        return True
    while row.split("/")[0] != other.split("/")[0] and "/" in other:
        other = other.rpartition("/")[0]
        if other in layers[row][0]:
            return True
    return False


def read_reasons():
    """[(folder, name, text)] from the list in src/base/reasons.h."""
    reasons, folder = [], ""
    for line in (ROOT / "src/base/reasons.h").read_text().splitlines():
        if group := re.match(r"\s*/\* ([\w/ ]+) \*/", line):
            folder = group[1].strip()
        if row := re.match(r'\s*X\((\w+),\s*"(.*)"\)', line):
            reasons.append((folder, row[1], row[2]))
    return reasons
