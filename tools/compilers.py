#!/usr/bin/env python3
"""tools/compilers.py [--all] COMPILER...: checks that other compilers accept our sources.

    tools/compilers.py clang++-14 'clang++-22 -stdlib=libc++' g++-13

Each compiler reads the commands of the build `suite` and writes nothing; with --all, file by file, those
of `dev`. Generated files must exist, so build first. Files that include libtorch are left out: Debian's
libtorch is too old for clang. Prints the errors, and fails if there are any.
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from layers import ROOT

# Warnings are a matter of the compilers of our presets. Precompiled headers are theirs alone.
DROPPED = {"-c", "-MD", "-Werror", "-Wno-subobject-linkage", "-Winvalid-pch"}


def command_of(entry, compiler):
    words = shlex.split(entry["command"])
    flags = words[next(i for i, word in enumerate(words) if word.startswith("-")) :]
    if "-o" in flags:
        at = flags.index("-o")
        del flags[at : at + 2]
    return [*shlex.split(compiler), *(flag for flag in flags if flag not in DROPPED), "-w", "-fsyntax-only"]


def check(entry, compiler):
    done = subprocess.run(command_of(entry, compiler), cwd=entry["directory"], capture_output=True, text=True)
    return f"{entry['file']}: exit code {done.returncode}\n{done.stderr}" if done.returncode else ""


def main():
    arguments = sys.argv[1:]
    build = ROOT / "build" / ("dev" if "--all" in arguments else "suite")
    compilers = [word for word in arguments if word != "--all"]
    commands = build / "compile_commands.json"
    if not compilers or not commands.exists():
        sys.exit(__doc__ if not compilers else f"{commands} is missing: build it first")
    entries = [e for e in json.loads(commands.read_text()) if "torch" not in e["file"] and "cmake_pch" not in e["command"]]
    failures = 0
    for compiler in compilers:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            errors = [text for text in pool.map(lambda entry: check(entry, compiler), entries) if text]
        print("".join(errors), end="")
        print(f"{compiler}: {len(entries) - len(errors)} of {len(entries)} compile")
        failures += len(errors)
    sys.exit(1 if failures else 0)


main()
