// For tests: export to ONNX and import again must give the same Model, and Python's onnx.checker
// must accept the file.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "model/fingerprint.h"
#include "model/onnx/export.h"
#include "model/onnx/import.h"

namespace cambium::model {

inline void expect_same_annotations(const Model& a, const Model& b) {
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  EXPECT_TRUE(
      std::equal(a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end()));
  std::map<std::string, std::uint32_t> blocks;
  for (const NodePtr& node : a.nodes()) blocks[node->name] = node->block;
  for (const NodePtr& node : b.nodes()) {
    ASSERT_EQ(blocks.count(node->name), 1u) << "'" << node->name << "' had another name";
    EXPECT_EQ(blocks[node->name], node->block) << node->name;
  }
}

inline void expect_round_trip(const Model& model, const std::filesystem::path& file,
                              const ExportOptions& options = {}) {
  const Status written = export_onnx(model, file, options);
  ASSERT_TRUE(written.ok()) << written.rejection().message();
  const auto read = import_onnx(file);
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_TRUE(read->notes.empty());
  EXPECT_EQ(structure_of(read->model), structure_of(model)) << file;
  expect_same_annotations(model, read->model);
}

// Uses one process for a whole folder, because starting Python takes longer than checking.
inline void expect_checker_accepts(const std::filesystem::path& folder) {
  static constexpr const char* kScript =
      "import sys, pathlib\n"
      "try:\n"
      "  import onnx.checker\n"
      "except ImportError:\n"
      "  sys.exit(77)\n"
      "bad = 0\n"
      "for f in sorted(pathlib.Path(sys.argv[1]).glob('*.onnx')):\n"
      "  try:\n"
      "    onnx.checker.check_model(str(f), full_check=True)\n"
      "  except Exception as e:\n"
      "    bad += 1\n"
      "    print(f.name, str(e)[:600])\n"
      "sys.exit(1 if bad else 0)\n";
  ProcessRequest request{{"/usr/bin/python3", "-c", kScript, folder.string()}, "", {}};
  request.limits.wall_seconds = 300;
  const auto outcome = run_process(request);
  if (!outcome.ok() || (outcome->death == Death::Exited && outcome->code == 77)) {
    GTEST_SKIP() << "Python's onnx is not there (package python3-onnx)";
  }
  EXPECT_TRUE(outcome->succeeded()) << outcome->text() << "\n"
                                    << outcome->output << outcome->errors;
}

}  // namespace cambium::model
