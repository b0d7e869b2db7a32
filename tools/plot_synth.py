#!/usr/bin/env python3
"""Plots what `cambium bench synth` measured: tools/plot_synth.py RESULTS PICTURES

RESULTS is the folder that bench/synth/results.sh filled; PICTURES gets SVG files. Needs gnuplot.
"""
import json
import pathlib
import subprocess
import sys

from gnuplot import point, quoted

# Table 2 of the Syno paper; what it counts as 8 and more stands at 8.
PAPER = {2: 1.0, 3: 0.1818, 4: 0.1397, 5: 0.0440, 6: 0.0122, 7: 0.0008}
HEAD = 'set terminal svg size 620,360 font "sans-serif,13" background "white"\nset grid\nset key {key}\n'


def rows_of(results, name):
    path = results / f"{name}.json"
    return json.loads(path.read_text())["rows"] if path.exists() else []


def plot(path, key, commands, curves):
    """curves: (title, style, [(x, y), ...])"""
    script = HEAD.format(key=key) + f"set output {quoted(path)}\n" + commands
    script += "plot " + ", ".join(f"'-' with {style} title {quoted(title)}" for title, style, _ in curves)
    for _, _, points in curves:
        script += "\n" + "\n".join(point(x, y) for x, y in points) + "\ne"
    subprocess.run(["gnuplot"], input=script + "\n", text=True, check=True)


def plot_curves(results, pictures):
    curves = []
    for row in rows_of(results, "sampling-1") + rows_of(results, "guides"):
        points = [(p["trials"], p["distinct"]) for p in row["curve"] if p["distinct"] > 0]
        curves.append((row["name"], "lines linewidth 2", points))
    plot(pictures / "distinct.svg", "top left",
         'set logscale xy\nset format "10^{%L}"\nset xlabel "trials"\nset ylabel "distinct operators"\n', curves)


def plot_growth(results, pictures):
    rows = rows_of(results, "growth")
    style = "linespoints linewidth 2 pointtype 7 pointsize 0.5"
    series = [("ms a trial", "ms_per_trial"), ("ms a valid operator", "ms_per_valid")]
    curves = [(title, style, [(r["primitives"], r[field]) for r in rows]) for title, field in series]
    new = [(r["primitives"], 1e3 / r["operators_per_second"]) for r in rows if r["operators_per_second"] > 0]
    curves.append(("ms a distinct operator", style, new))
    plot(pictures / "growth.svg", "top right",
         'set logscale y\nset xlabel "most primitives"\nset ylabel "milliseconds"\nset xrange [3.5:12.5]\n', curves)


def plot_canonical(results, pictures):
    rows = rows_of(results, "table2")
    style = "linespoints linewidth 2 pointtype 7 pointsize 0.5"
    curves = [(title, style, [(r["primitives"], r[field]) for r in rows if r[field] > 0])
              for title, field in [("all rules", "canonical_rate"), ("exact rules alone", "exact_rate")]]
    curves.append(("the paper's table 2", style, sorted(PAPER.items())))
    plot(pictures / "canonical.svg", "top right",
         'set logscale y\nset xlabel "primitives"\nset ylabel "share that is canonical"\n', curves)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results, pictures = map(pathlib.Path, sys.argv[1:])
    pictures.mkdir(parents=True, exist_ok=True)
    plot_curves(results, pictures)
    plot_growth(results, pictures)
    plot_canonical(results, pictures)


if __name__ == "__main__":
    main()
