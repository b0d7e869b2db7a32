#!/usr/bin/env python3
"""tools/slowest.py BUILD: the ten slowest tests and the ten files that took longest to compile."""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def slowest_tests(build):
    report = build / "tests.xml"
    if not report.exists():
        return []
    cases = xml.parse(report).getroot().iter("testcase")
    return [(float(case.get("time")), case.get("name")) for case in cases]


def slowest_compiles(build):
    """Of ninja's log: start and end in milliseconds, a time stamp, the output, a hash."""
    log = build / ".ninja_log"
    if not log.exists():
        return []
    seconds = {}
    for line in log.read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        if output.endswith(".o"):
            name = output.removesuffix(".o").replace("CMakeFiles/", "")
            seconds[name] = (int(end) - int(start)) / 1000
    return [(time, name) for name, time in seconds.items()]


def main():
    build = Path(sys.argv[1])
    for title, rows in (("tests", slowest_tests(build)), ("files to compile", slowest_compiles(build))):
        if not rows:
            continue
        print(f"-- slowest {title} of {len(rows)}, {sum(t for t, _ in rows):.0f} s in all")
        for time, name in sorted(rows, reverse=True)[:10]:
            print(f"  {time:7.2f} s  {name}")


main()
