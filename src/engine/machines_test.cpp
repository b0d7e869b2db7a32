#include "engine/machines.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/scratch_folder_testing.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

TEST(Machines, AreProbedOnceAndKept) {
  const ScratchFolder folder;
  const std::string path = folder / "new/ceilings.json";
  const auto first = probed_host(path);
  ASSERT_TRUE(first.ok()) << first.rejection().message();
  const std::string kept = read_file(path).value();
  EXPECT_EQ(json_of(*first), json_of(probed_host(path).value()));
  EXPECT_EQ(read_file(path).value(), kept);
  EXPECT_GT(probed_host(path, true)->ceilings->fma_gflops, 1);
}

TEST(Machines, NeedAFolderThatCanBeMade) {
  const ScratchFolder folder;
  const std::string file = folder / "file";
  ASSERT_TRUE(write_file(file, "").ok());
  EXPECT_EQ(probed_host(file + "/x/ceilings.json").rejection().reason(), Reason::Unwritable);
}

TEST(Machines, SayNullWhereNothingWasProbed) {
  EXPECT_TRUE(json_of(host_machine())["ceilings"].is_null());
}

}  // namespace
}  // namespace cambium::engine
