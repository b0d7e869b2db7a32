#!/usr/bin/env python3
"""Plots what `cambium bench search --part replay --json` measured: tools/plot_search.py RESULT PICTURE

RESULT is its document, PICTURE the SVG file: the best reward found against tickets, means over
seeds with the middle half of the seeds around them. Needs gnuplot.
"""
import json
import pathlib
import subprocess
import sys

from gnuplot import point, quoted

COLORS = {"tree": "#0060ad", "random": "#dd7700"}
HEAD = '''set terminal svg size 620,360 font "sans-serif,13" background "white"
set output {output}
set grid
set key bottom right
set xlabel "tickets"
set ylabel "best reward so far"
set style fill transparent solid 0.2 noborder
'''


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows = [row for row in json.loads(pathlib.Path(sys.argv[1]).read_text())["rows"] if "curve" in row]
    rewards = {row.get("reward") for row in rows}
    reward = "latency" if "latency" in rewards else next(iter(rewards))
    rows = [row for row in rows if row.get("reward") == reward]
    plots, data = [], []
    for row in rows:
        color = COLORS.get(row["name"], "black")
        plots.append(f"'-' using 1:2:3 with filledcurves linecolor rgb \"{color}\" notitle")
        data.append([point(p["tickets"], p["lower"], p["upper"]) for p in row["curve"]])
        plots.append(f"'-' with lines linewidth 2 linecolor rgb \"{color}\" title {quoted(row['name'])}")
        data.append([point(p["tickets"], p["mean"]) for p in row["curve"]])
    script = HEAD.format(output=quoted(sys.argv[2])) + "plot " + ", ".join(plots)
    for points in data:
        script += "\n" + "\n".join(points) + "\ne"
    subprocess.run(["gnuplot"], input=script + "\n", text=True, check=True)


if __name__ == "__main__":
    main()
