#!/usr/bin/env python3
"""Every reason for a refusal must be provoked by a test: its name stands in one."""

import re
import sys

from layers import ROOT, read_reasons


def main():
    tests = [*(ROOT / "src").rglob("*_test.cpp"), *(ROOT / "tests").rglob("*.cpp")]
    named = {name for path in tests for name in re.findall(r"\w+", path.read_text())}
    reasons = read_reasons()
    missing = [f"{folder}: no test provokes Reason::{name}" for folder, name, _ in reasons if name not in named]
    print("\n".join(missing) or f"all {len(reasons)} reasons are provoked by a test")
    sys.exit(bool(missing))


main()
