#!/usr/bin/env python3
"""Candidates between two: interpolate.py A B STEPS FOLDER

A and B are documents of `cambium inspect MODEL --edit WHAT --json`. FOLDER gets STEPS candidates
(for `cambium search --try`), 1.json to STEPS.json. In candidate i, the share i / STEPS of the
convolutions has the document of B and the rest that of A, evenly spread over the network; the last
one is B.
"""
import json
import pathlib
import sys


def by_site(path):
    candidate = json.loads(pathlib.Path(path).read_text())["proposals"][0]["candidate"]
    return candidate, {site: edit for edit in candidate["edits"] for site in edit["sites"]}


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    candidate, first = by_site(sys.argv[1])
    _, second = by_site(sys.argv[2])
    steps, folder = int(sys.argv[3]), pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    sites = list(dict.fromkeys([*first, *second]))
    for step in range(1, steps + 1):
        edits = {}
        for place, site in enumerate(sites):
            # As many of the first n sites as the share says, for every n.
            is_second = (place + 1) * step // steps > place * step // steps
            edit = (second if is_second else first).get(site)
            if edit is None:
                continue
            key = (edit["space"], edit["document"])
            edits.setdefault(key, []).append(site)
        candidate["edits"] = [
            {"space": space, "sites": places, "document": document}
            for (space, document), places in edits.items()
        ]
        (folder / f"{step}.json").write_text(json.dumps(candidate) + "\n")


if __name__ == "__main__":
    main()
