#!/usr/bin/env python3
"""Each check must be able to fail: breaks one rule at a time in a small copy of the tree."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import gnuplot

TOOLS = Path(__file__).resolve().parent
HEADER = "// A header.\n#pragma once\n"


class ChecksTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(TOOLS, self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        self.write("cmake/layers.cmake", 'set(CAMBIUM_ALLOW_base "")  # low\nset(CAMBIUM_ALLOW_expr base)  # high\n')
        self.write("cmake/public_headers.cmake", "set(CAMBIUM_PUBLIC_HEADERS\n  base/a.h)\n")
        self.write("src/base/CMakeLists.txt", "cambium_layer(base HEADERS a.h b.h SOURCES a.cpp TESTS a_test.cpp)\n")
        self.write("src/expr/CMakeLists.txt", "cambium_layer(expr SOURCES c.cpp)\n")
        self.write("src/base/reasons.h", HEADER + '  /* base */ \\\n  X(Bad, "{s} is bad")\n')
        self.write("src/base/CMakeLists.txt", "reasons.h a.h b.h a.cpp a_test.cpp")
        self.write("src/base/a.h", HEADER)
        self.write("src/base/b.h", HEADER)
        self.write("src/base/a.cpp", '#include "base/a.h"\n')
        self.write("src/base/a_test.cpp", '#include "base/a.h"\n// Reason::Bad\n')
        self.write("src/expr/c.cpp", '#include "base/a.h"\n')
        self.write("ARCHITECTURE.md", "<!-- layers: -->\n<!-- end -->\n")
        (self.root / "docs").mkdir()
        self.run_tool("generate_docs.py")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, *command):
        done = subprocess.run(
            [sys.executable, self.root / "tools" / command[0], *command[1:]], capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    def expect_refusal(self, words, *command):
        code, said = self.run_tool(*command)
        self.assertEqual(code, 1, said)
        self.assertIn(words, said)

    def test_a_sound_tree_passes(self):
        for command in (["check_layers.py"], ["check_reasons.py"], ["generate_docs.py", "--check"]):
            self.assertEqual(self.run_tool(*command)[0], 0, self.run_tool(*command)[1])

    def test_forbidden_edge(self):
        self.write("src/base/a.cpp", '#include "base/a.h"\n#include "expr/c.cpp"\n')
        self.expect_refusal("src/base/a.cpp:2: 'base' may not include 'expr'", "check_layers.py")

    def write_sub_folders(self):
        """`expr/deep` may see `high`, which `expr` may not; `expr/other` is beside it."""
        self.write(
            "cmake/layers.cmake",
            'set(CAMBIUM_ALLOW_base "")  # low\n'
            "set(CAMBIUM_ALLOW_expr base)  # middle\n"
            "set(CAMBIUM_ALLOW_high base)  # high\n"
            "set(CAMBIUM_ALLOW_expr/deep base high)  # deep\n"
            "set(CAMBIUM_ALLOW_expr/other base expr)  # other\n"
            "set(CAMBIUM_ALLOW_top base expr)  # top\n",
        )
        for folder, name in (("high", "h"), ("expr", "e"), ("expr/deep", "d"), ("expr/other", "o"), ("top", "t")):
            self.write(f"src/{folder}/{name}.h", HEADER)
            self.write(f"src/{folder}/CMakeLists.txt", f"{name}.h {name}.cpp x/{name}.cpp c.cpp")
        self.run_tool("generate_docs.py")

    def expect_edge(self, source, target, words=""):
        """Both checks agree: of includes, and of DEPS in CMake."""
        path = f"src/{source}/x/{source.split('/')[-1][0]}.cpp"  # below the folder that has the row
        self.write(path, f'#include "{target}/{target.split("/")[-1][0]}.h"\n')
        code, said = self.run_tool("check_layers.py")
        script = self.root / "edge.cmake"
        shutil.copy(TOOLS.parent / "cmake/layer_edges.cmake", self.root / "cmake")
        script.write_text(
            "cmake_minimum_required(VERSION 3.22)\n"
            f"include({self.root}/cmake/layers.cmake)\ninclude({self.root}/cmake/layer_edges.cmake)\n"
            f"cambium_check_edge({source}/x {target})\n"
        )
        done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True)
        (self.root / path).unlink()
        self.assertEqual((code, done.returncode), (1, 1) if words else (0, 0), said + done.stderr)
        self.assertIn(words, said)
        self.assertIn(words.replace("include", "depend on"), " ".join(done.stderr.split()))

    def test_rows_of_sub_folders(self):
        self.write_sub_folders()
        self.expect_edge("expr/deep", "high")
        self.expect_edge("expr", "high", "'expr' may not include 'high'")
        self.expect_edge("expr/other", "high", "'expr/other' may not include 'high'")
        # Within one top folder only rows that are listed.
        self.expect_edge("expr/other", "expr")
        self.expect_edge("expr/deep", "expr", "'expr/deep' may not include 'expr'")
        self.expect_edge("expr/other", "expr/deep", "'expr/other' may not include 'expr/deep'")
        self.expect_edge("expr", "expr/deep", "'expr' may not include 'expr/deep'")
        # From outside, a row admits what is below it.
        self.expect_edge("top", "expr/deep")
        self.expect_edge("high", "expr/deep", "'high' may not include 'expr/deep'")

    def test_folder_without_a_row(self):
        self.write("src/lost/CMakeLists.txt", "l.cpp")
        self.write("src/lost/l.cpp", "")
        self.expect_refusal("src/lost/l.cpp:1: 'lost' has no row", "check_layers.py")

    def test_path_that_does_not_exist(self):
        self.write("src/base/a.cpp", '#include "base/a.h"\n#include "b.h"\n')
        self.expect_refusal("is not a path from src/", "check_layers.py")

    def test_library_outside_its_home(self):
        self.write("src/expr/c.cpp", "#include <google/protobuf/message.h>\n")
        self.expect_refusal("only model/onnx/ may include", "check_layers.py")

    def test_costly_header_in_a_header(self):
        self.write("src/base/b.h", HEADER + "#include <nlohmann/json.hpp>\n")
        self.expect_refusal("costly in a header", "check_layers.py")

    def test_long_files(self):
        self.write("src/base/b.h", HEADER + "\n" * 250)
        self.expect_refusal("252 lines, the limit is 250", "check_layers.py")
        self.write("src/base/b.h", HEADER)
        self.write("src/expr/c.cpp", "\n" * 801)
        self.expect_refusal("801 lines, the limit is 800", "check_layers.py")

    def test_forgotten_file(self):
        self.write("src/base/lost.cpp", "")
        self.expect_refusal("src/base/lost.cpp:1: forgotten in src/base/CMakeLists.txt", "check_layers.py")

    def test_own_header_not_first(self):
        self.write("src/base/a.cpp", '#include <vector>\n#include "base/a.h"\n')
        self.expect_refusal("a.h must be its first include", "check_layers.py")

    def test_header_without_opening(self):
        self.write("src/base/b.h", "int x;\n")
        self.expect_refusal("a header opens with a comment", "check_layers.py")
        self.expect_refusal("no #pragma once", "check_layers.py")

    def test_public_header_that_includes_a_private_one(self):
        self.write("src/base/a.h", HEADER + '#include "base/b.h"\n')
        self.expect_refusal('includes "base/b.h", which is not', "check_layers.py")

    def test_printing_past_what_escapes(self):
        self.write("src/expr/c.cpp", '\nvoid f() { fmt::print(stderr, "x"); }\n')
        self.expect_refusal("src/expr/c.cpp:2: say() and print()", "check_layers.py")
        for words in ("std::puts(x)", "printf(x)", "std::clog << x", "::write(2, x, 1)", "fmt::println(x)"):
            self.write("src/expr/c.cpp", "\nvoid f() { " + words + "; }\n")
            self.expect_refusal("src/expr/c.cpp:2: say() and print()", "check_layers.py")
        self.write("src/expr/c.cpp", "auto f(json j) { return j.dump(); }\n")
        self.expect_refusal("src/expr/c.cpp:1: json_text()", "check_layers.py")

    def test_texts_of_plots_stay_texts(self):
        self.assertEqual(gnuplot.quoted("it's `touch x`\n!y"), "'it''s `touch x` !y'")
        self.assertEqual(gnuplot.point(1, 0.5), "1.0 0.5")
        with self.assertRaises(ValueError):
            gnuplot.point("1\n!touch x")

    def test_reason_without_a_test(self):
        self.write("src/base/a_test.cpp", '#include "base/a.h"\n')
        self.expect_refusal("no test provokes Reason::Bad", "check_reasons.py")

    def test_missing_standard_header(self):
        self.write("src/base/a.cpp", '#include "base/a.h"\nstd::string text;\n')
        self.expect_refusal("src/base/a.cpp:2: std::string needs <string>", "check_includes.py")
        self.write("src/base/a.h", HEADER + "#include <string>\n")
        self.assertEqual(self.run_tool("check_includes.py")[0], 0)
        self.write("src/base/a.cpp", '#include "base/a.h"\nvoid f() { for (int i : {1, 2}) use(i); }\n')
        self.write("src/base/a.h", HEADER)
        self.expect_refusal("needs <initializer_list>", "check_includes.py")

    def test_stale_documents(self):
        self.write("src/base/reasons.h", HEADER + '  /* base */ \\\n  X(Worse, "{s} is worse")\n')
        self.expect_refusal("docs/reasons.md is not current", "generate_docs.py", "--check")

    def test_stale_drawings(self):
        self.write("docs/spaces/pictures/nest_group.svg", "<svg/>\n")
        self.expect_refusal("docs/spaces/pictures/nest_group.svg is not current", "generate_docs.py", "--check")


unittest.main()
