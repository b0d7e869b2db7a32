#!/usr/bin/env python3
"""Checks what the compiler does not: which folder includes what, sizes of files, forgotten files.

Prints one line for each break of a rule, `file:line: rule`, and fails if there is any.
"""

import re
import sys

from layers import ROOT, may_include, read_layers, row_of

SRC = ROOT / "src"
LONGEST, LONGEST_HEADER = 800, 250

# Outside headers with one home each: only that folder may include them.
HOMES = {
    r"(google/protobuf|onnx)/": "model/onnx/",
    r"torch/|ATen/|c10/": "train/",
    r"llvm/|llvm-c/": "codegen/llvm/",
    r"xgboost/": "tune/",
    r"sqlite3\.h": "store/",
    r"spdlog/": "base/",
    r"xxhash\.h": "base/",
    r"CLI/": "cli/",
    r"zlib\.h": "data/",
}
# What prints, and what makes JSON text, has few places: those that show what a terminal would obey.
PRINTING = {
    r"fmt::print(ln)?\(|(\bstd::|[\s;{}(])(f?printf|f?puts|putchar|fwrite|perror)\(|\bstd::(cout|cerr|clog)\b"
    r"|::write\(\s*(1|2|STDOUT_FILENO|STDERR_FILENO)\b": (
        "say() and print() of cli/common.h print, and log() of base/log.h",
        {"base/check.cpp", "cli/common.cpp", "cli/evaluate.cpp", "cli/program.cpp", "cli/progress.cpp",
         "cli/screen.cpp", "engine/search/export_example.cpp", "engine/search/fake_worker.cpp",
         "measure/runner/main.cpp", "search/testing/toy_search_main.cpp"}),
    r"\.dump\(": ("json_text() of base/json.h makes JSON text", {"base/json.cpp", "model/pytorch/safetensors.cpp"}),
}
# Costly to compile: sources only, never headers.
SOURCES_ONLY = re.compile(r"nlohmann/json\.hpp|fmt/|iostream$|regex$")


def source_files():
    folders = [ROOT / name for name in ("src", "bench", "fuzz", "tests", "examples")]
    return sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".h", ".cpp", ".cu"))


def includes_of(text):
    """[(line number, path, quoted?)]"""
    found = re.finditer(r'^#\s*include\s+([<"])([^">]+)', text, re.M)
    return [(text.count("\n", 0, m.start()) + 1, m[2], m[1] == '"') for m in found]


def check_text(path, text):
    lines = text.count("\n")
    header = path.suffix == ".h"
    limit = LONGEST_HEADER if header else LONGEST
    if lines > limit:
        yield lines, f"{lines} lines, the limit is {limit}"
    if match := re.search(r"\b(TODO|FIXME|XXX)\b", text):
        yield text.count("\n", 0, match.start()) + 1, f"{match[0]}: do it, or write an issue"
    if header and not text.startswith("//"):
        yield 1, "a header opens with a comment that says what it is"
    if header and "#pragma once" not in text:
        yield 1, "no #pragma once"


def check_includes(path, text, layers):
    inside = path.relative_to(SRC).as_posix()
    row = row_of(inside.rpartition("/")[0], layers)
    if row not in layers:
        yield 1, f"'{row}' has no row in cmake/layers.cmake"
        return
    for line, target, quoted in includes_of(text):
        if quoted:
            other = row_of(target.rpartition("/")[0], layers)
            if not (SRC / target).exists():
                yield line, f'"{target}" is not a path from src/'
            elif not may_include(row, other, layers):
                yield line, f"'{row}' may not include '{other}' (cmake/layers.cmake)"
            continue
        for pattern, home in HOMES.items():
            if re.match(pattern, target) and not inside.startswith(home):
                yield line, f"only {home} may include <{target}>"
        if path.suffix == ".h" and SOURCES_ONLY.match(target):
            yield line, f"<{target}> belongs into sources, it is costly in a header"


def check_printing(path, text):
    inside = path.relative_to(SRC).as_posix()
    for pattern, (rule, places) in PRINTING.items():
        match = re.search(pattern, text)
        if match and inside not in places and not inside.endswith(("_test.cpp", "_testing.h")):
            yield text.count("\n", 0, match.start()) + 1, rule


def check_listed(path):
    """Every file must stand in the CMakeLists.txt of its folder or of one above it. A header beside
    its own source need not: it is compiled with it."""
    if path.suffix == ".h" and path.with_suffix(".cpp").exists():
        return
    folder = path.parent
    while folder != ROOT:
        lists = folder / "CMakeLists.txt"
        if lists.exists():
            name = path.relative_to(folder).as_posix()
            if not re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w.-])", lists.read_text()):
                yield 1, f"forgotten in {lists.relative_to(ROOT)}"
            return
        folder = folder.parent
    yield 1, "no CMakeLists.txt lists it"


def check_own_header_first(path, text):
    """Then the header compiles alone: nothing stands before it. CMake does it for the others."""
    own = path.with_suffix(".h")
    if path.suffix == ".h" or not own.exists():
        return
    first = includes_of(text)[:1]
    if not first or first[0][1] != own.relative_to(SRC).as_posix():
        yield 1, f"{own.name} must be its first include"


def check_public(texts):
    """What is installed must include only what is installed."""
    listed = (ROOT / "cmake/public_headers.cmake").read_text()
    public = set(re.findall(r"^\s+([\w/]+\.h)", listed, re.M))
    for name in sorted(public):
        path = SRC / name
        if path not in texts:
            yield ROOT / "cmake/public_headers.cmake", f"{name} does not exist"
            continue
        for _, target, quoted in includes_of(texts[path]):
            if quoted and target not in public:
                yield path, f'is public (cmake/public_headers.cmake) but includes "{target}", which is not'


def main():
    layers = read_layers()
    texts = {path: path.read_text() for path in source_files()}
    broken = []
    for path, text in texts.items():
        rules = [*check_text(path, text)]
        if SRC in path.parents:
            rules += [*check_includes(path, text, layers), *check_listed(path)]
            rules += [*check_own_header_first(path, text), *check_printing(path, text)]
        broken += [f"{path.relative_to(ROOT)}:{line}: {rule}" for line, rule in rules]
    for path, rule in check_public(texts):
        broken.append(f"{path.relative_to(ROOT)}:1: {rule}")
    print("\n".join(broken) or f"{len(texts)} files follow the rules")
    sys.exit(bool(broken))


main()
