"""Parts of scripts for gnuplot, which runs what stands in backquotes and what follows a line end."""


def quoted(text):
    """A string that shows the text and is nothing else."""
    shown = "".join(c if c.isprintable() else " " for c in str(text))
    return "'" + shown.replace("'", "''") + "'"


def point(*numbers):
    """A line of data: numbers only."""
    return " ".join(repr(float(number)) for number in numbers)
