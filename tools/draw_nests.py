#!/usr/bin/env python3
"""The drawings of docs/spaces/loopnest.md: what documents of the loop-nest space compute.

In a drawing of channels, rows are output channels and columns are input channels; a filled cell is a filter
that exists. All layers have 8 channels of each kind. In a drawing of pixels, a cell is a pixel of the output.
tools/generate_docs.py writes the drawings.
"""

CELL = 12
COLORS = ["#3b6ea5", "#c8782a", "#5a9a4b", "#8d5aa8", "#b04a4a", "#4aa3a3"]
EMPTY, PALE, LINE = "#f4f4f4", "#c9d8e8", "#b8b8b8"


class Drawing:
    def __init__(self):
        self.parts, self.width, self.height = [], 0, 0

    def text(self, x, y, text, turned=False):
        turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{turn}>{text}</text>')
        self.width, self.height = max(self.width, x + 4), max(self.height, y + 4)

    def cells(self, x, y, rows, columns, color_at):
        """color_at(row, column): a color, or None for an empty cell."""
        width, height = CELL * columns, CELL * rows
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{EMPTY}"/>')
        for row in range(rows):
            for column in range(columns):
                if color_at(row, column):
                    self.parts.append(f'<rect x="{x + CELL * column}" y="{y + CELL * row}" width="{CELL}" '
                                      f'height="{CELL}" fill="{color_at(row, column)}"/>')
        lines = [f"M{x} {y + CELL * row}h{width}" for row in range(rows + 1)]
        lines += [f"M{x + CELL * column} {y}v{height}" for column in range(columns + 1)]
        self.parts.append(f'<path d="{"".join(lines)}" stroke="{LINE}" stroke-width="0.5"/>')
        self.width, self.height = max(self.width, x + width), max(self.height, y + height)

    def grid(self, x, y, rows, columns, color_at, across, down):
        self.cells(x, y, rows, columns, color_at)
        self.text(x + CELL * columns / 2, y - 5, across)
        self.text(x - 6, y + CELL * rows / 2, down, turned=True)

    def svg(self):
        width, height = self.width + 8, self.height + 8
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="11">\n'
            f'<rect width="{width:g}" height="{height:g}" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def color(number):
    return COLORS[number % len(COLORS)]


# Which filters exist: f(output channel, input channel) gives the number of a color, or None.
CHANNELS = {
    "original": lambda co, ci: 0,
    "group": lambda co, ci: co // 2 if co // 2 == ci // 2 else None,
    "interleaved": lambda co, ci: co // 2 if co // 2 == ci % 4 else None,
    "depthwise": lambda co, ci: co if co == ci else None,
    "bottleneck": lambda co, ci: 0 if co < 4 else None,
    "input_bottleneck": lambda co, ci: 0 if ci < 4 else None,
    "halves": lambda co, ci: (co // 2 if co // 2 == ci // 4 else None) if co < 4 else
                             (2 + (co - 4) if co - 4 == ci // 2 else None),
    "peel": lambda co, ci: 0 if co < 2 else (1 + (co - 2) // 3 if ci >= 2 and (co - 2) // 3 == (ci - 2) // 3 else None),
}


def channels(drawing, x, y, exists, across="input channels", down="output"):
    drawing.grid(x, y, 8, 8, lambda co, ci: None if exists(co, ci) is None else color(exists(co, ci)), across, down)


def two_nests(first, second, labels):
    drawing = Drawing()
    for i, (exists, label) in enumerate(zip((first, second), labels)):
        channels(drawing, 20 + 140 * i, 20, exists, label)
    drawing.text(20 + 8 * CELL + 22, 20 + 4 * CELL, "\N{RIGHTWARDS ARROW}")
    return drawing


def taps(drawing, x, rows, columns, label):
    drawing.grid(x, 20, 3, 3, lambda r, c: color(0) if r in rows and c in columns else None, label, "")


def spatial_bottleneck():
    drawing = Drawing()
    drawing.grid(20, 20, 8, 8, lambda h, w: color(0) if h % 2 == 0 and w % 2 == 0 else PALE, "columns", "rows")
    return drawing


def slabs():
    """Two slabs with weights of their own, and the zeros that each reads beyond its border."""
    drawing = Drawing()
    for slab in range(2):
        inside = lambda row, column: color(slab) if 0 < row < 5 and 0 < column < 9 else None
        drawing.cells(20, 20 + slab * 6.5 * CELL, 6, 10, inside)
        drawing.text(20 + 11.5 * CELL, 20 + (slab * 6.5 + 3.4) * CELL, f"w[{slab}]")
    drawing.text(20 + 5 * CELL, 15, "columns")
    drawing.text(14, 20 + 6.25 * CELL, "rows", turned=True)
    drawing.width += 10
    return drawing


def slab_channels():
    drawing = Drawing()
    drawing.grid(20, 20, 8, 8, lambda h, co: color(h // 4) if h // 4 == co // 4 else None, "output channels", "rows")
    return drawing


def separate_taps():
    drawing = Drawing()
    taps(drawing, 20, range(3), [1], "k x 1")
    drawing.text(20 + 3 * CELL + 18, 20 + 2 * CELL, "\N{RIGHTWARDS ARROW}")
    taps(drawing, 20 + 3 * CELL + 40, [1], range(3), "1 x k")
    return drawing


def nest_drawings():
    """{name of the file: its SVG text}"""
    drawings = {}
    for name, exists in CHANNELS.items():
        drawings[name] = Drawing()
        channels(drawings[name], 20, 20, exists)
    drawings["separate"] = two_nests(CHANNELS["original"], CHANNELS["depthwise"], ["one tap", "k x k taps"])
    for name, make in {"spatial": spatial_bottleneck, "slabs": slabs, "slab_channels": slab_channels,
                       "separate_taps": separate_taps}.items():
        drawings[name] = make()
    return {f"nest_{name}.svg": drawing.svg() for name, drawing in drawings.items()}
