#include "engine/bench_programs.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

class BenchPrograms : public testing::Test {
 protected:
  void add(const std::string& name, bool executable) const {
    const std::string path = fs::path(folder_) / name;
    ASSERT_TRUE(write_file(path, "#!/bin/sh\n").ok());
    fs::permissions(path, executable ? fs::perms::owner_all : fs::perms::owner_read);
  }

  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(BenchPrograms, AreExecutablesWithThePrefix) {
  add("cambium-bench-zeta", true);
  add("cambium-bench-alpha", true);
  add("cambium-bench-text", false);
  add("cambium-bench-", true);
  add("cambium", true);
  fs::create_directory(fs::path(folder_) / "cambium-bench-folder");
  EXPECT_EQ(bench_names(folder_), (std::vector<std::string>{"alpha", "zeta"}));
  EXPECT_EQ(find_bench(folder_, "zeta").value(), folder_ + "/cambium-bench-zeta");
}

TEST_F(BenchPrograms, UnknownOnesAreRefusedWithWhatIsThere) {
  EXPECT_EQ(find_bench(folder_, "kernels").rejection().reason(), Reason::Unavailable);
  EXPECT_EQ(find_bench(folder_ + "/none", "kernels").rejection().reason(), Reason::Unavailable);
  add("cambium-bench-kernels", true);
  EXPECT_EQ(find_bench(folder_, "kernel").rejection().message(),
            "bench 'kernel': did you mean 'kernels'?");
  EXPECT_EQ(find_bench(folder_, "../x").rejection().message(), "bench '../x': there are kernels");
}

}  // namespace
}  // namespace cambium::engine
