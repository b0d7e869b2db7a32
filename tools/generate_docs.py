#!/usr/bin/env python3
"""Writes what documents repeat from the sources: docs/reasons.md, the table in ARCHITECTURE.md, and the
drawings of draw_nests.py.

With --check writes nothing and fails if something is not current.
"""

import re
import sys

from draw_nests import nest_drawings
from layers import ROOT, read_layers, read_reasons


def reasons_page():
    lines = [
        "# Reasons",
        "",
        "Every reason for which Cambium refuses something. Generated from `src/base/reasons.h` by",
        "`tools/generate_docs.py`; `{a}` to `{c}` stand for numbers, `{s}` and `{t}` for texts.",
    ]
    folder = None
    for group, name, text in read_reasons():
        if group != folder:
            folder = group
            lines += ["", f"## {folder}", "", "| reason | text |", "|---|---|"]
        lines.append(f"| `{name}` | {text.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def layer_table():
    rows = ["| folder | what it is | may include |", "|---|---|---|"]
    for name, (allowed, what) in read_layers().items():
        rows.append(f"| `{name}` | {what} | {' '.join(f'`{a}`' for a in allowed) or '–'} |")
    return "\n".join(rows)


def architecture_page():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = f"<!-- layers: generated from cmake/layers.cmake -->\n{layer_table()}\n<!-- end -->"
    return re.sub(r"<!-- layers:.*?<!-- end -->", lambda _: table, text, flags=re.S)


def main():
    check = "--check" in sys.argv[1:]
    stale = []
    pages = {ROOT / "docs/reasons.md": reasons_page(), ROOT / "ARCHITECTURE.md": architecture_page()}
    for name, drawing in nest_drawings().items():
        pages[ROOT / "docs/spaces/pictures" / name] = drawing
    for path, page in pages.items():
        if path.exists() and path.read_text() == page:
            continue
        stale.append(path.relative_to(ROOT))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page)
    for path in stale:
        print(f"{path} is not current: run tools/generate_docs.py" if check else f"wrote {path}")
    sys.exit(check and bool(stale))


main()
