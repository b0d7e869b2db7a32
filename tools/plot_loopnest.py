#!/usr/bin/env python3
"""Plots what `cambium bench loopnest --json` measured: tools/plot_loopnest.py RESULTS PICTURES

RESULTS is a folder with documents of its parts, in any files *.json; PICTURES gets SVG files: the
layers (figure 6 of the paper), the documents in each network (figure 5), the networks between two
and four groups (figure 9; rows of the method `interpolation`), and both kinds of tables. A picture
without data is left out. Needs gnuplot.
"""
import json
import pathlib
import subprocess
import sys

from gnuplot import point, quoted

HEAD = '''set terminal svg size {size} font "sans-serif,13" background "white"
set output {output}
set grid ytics
set key outside top center horizontal
'''


def rows_of(results):
    rows = []
    for path in sorted(results.glob("*.json")):
        document = json.loads(path.read_text())
        if document.get("name") == "loopnest":
            rows += document["rows"]
    return rows


def draw(path, size, commands, plots, data):
    script = HEAD.format(size=size, output=quoted(path)) + commands + "plot " + ", ".join(plots)
    for lines in data:
        script += "\n" + "\n".join(lines) + "\ne"
    subprocess.run(["gnuplot"], input=script + "\n", text=True, check=True)


def histogram(path, groups, series, values, label, style):
    """values: {(group, series): number}; one cluster or stack for each group."""
    ticks = ", ".join(f"{quoted(name)} {i}" for i, name in enumerate(groups))
    commands = f"set style data histograms\nset style histogram {style}\nset style fill solid 0.8\n"
    commands += f"set boxwidth 0.9\nset xtics rotate by -30 ({ticks})\nset ylabel {quoted(label)}\n"
    plots = [f"'-' using 1 title {quoted(name)}" for name in series]
    data = [[point(values.get((group, name), 0)) for group in groups] for name in series]
    draw(path, "820,400", commands, plots, data)


def in_order(items):
    return list(dict.fromkeys(items))


def plot_layers(rows, path):
    rows = [row for row in rows if row["part"] == "layers" and "ratio" in row]
    if not rows:
        return
    values = {(row["case"], row["document"]): row["ratio"] for row in rows}
    histogram(path, in_order(r["case"] for r in rows), in_order(r["document"] for r in rows), values,
              "times as fast as the original", "clustered gap 1")


def plot_documents(rows, path):
    best = {(r["case"], r["method"], r["candidate"]) for r in rows
            if r["part"] == "networks" and r["kind"] == "network" and r["best"]}
    rows = [r for r in rows if r["part"] == "networks" and r["kind"] == "documents"
            and (r["case"], r["method"], r["candidate"]) in best]
    if not rows:
        return
    # Numbers left out: `halves 2 4` and `halves 4 4` are one kind.
    values, name_of = {}, lambda r: f"{r['case'].removeprefix('zoo:')}, {r['method']}"
    kind_of = lambda r: " ".join(w for w in r["document"].split() if not w.isdigit()).split(" (")[0]
    for row in rows:
        key = (name_of(row), kind_of(row))
        values[key] = values.get(key, 0) + row["sites"]
    histogram(path, in_order(map(name_of, rows)), in_order(map(kind_of, rows)), values,
              "convolutions", "rowstacked")


def plot_interpolation(rows, path):
    points = []
    for row in rows:
        is_network = row["part"] == "networks" and row["kind"] == "network"
        if not is_network or row["method"] != "interpolation" or row["original"]:
            continue
        test, size = row["values"]["test_accuracy"], row["values"]["parameters"]["value"]
        points.append((size / 1e6, 100 * (1 - test["value"]), 100 * test["value"] * test["spread"]))
    if not points:
        return
    draw(path, "620,360", 'set xlabel "million parameters"\nset ylabel "test error, %"\n',
         ["'-' with yerrorbars pointtype 7 notitle"], [[point(*p) for p in sorted(points)]])


def plot_pairs(path, pairs, x, y, more=""):
    if not pairs:
        return
    commands = f"set xlabel {quoted(x)}\nset ylabel {quoted(y)}\n" + more
    draw(path, "480,420", commands, ["'-' with points pointtype 7 pointsize 0.6 notitle", "x notitle"],
         [[point(*pair) for pair in pairs]])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results, pictures = map(pathlib.Path, sys.argv[1:])
    pictures.mkdir(parents=True, exist_ok=True)
    rows = rows_of(results)
    plot_layers(rows, pictures / "loopnest_layers.svg")
    plot_documents(rows, pictures / "loopnest_documents.svg")
    plot_interpolation(rows, pictures / "loopnest_interpolation.svg")
    plot_pairs(pictures / "loopnest_tables.svg",
               [(1e3 * r["seconds"], 1e3 * r["composed_seconds"]) for r in rows if r["part"] == "tables"],
               "measured ms", "composed ms", "set logscale xy\n")
    plot_pairs(pictures / "loopnest_fisher.svg",
               [(r["change"], r["additive"]) for r in rows
                if r["part"] == "fisher" and r["kind"] == "network"],
               "change of the Fisher Potential", "sum of the changes of single sites")


if __name__ == "__main__":
    main()
