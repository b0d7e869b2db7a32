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
  EXPECT_GT(probed_host(path, true)->ceilings->fma_gflops, 0);
}

TEST(Machines, AreProbedWithTheirOwnInstructions) {
  const ScratchFolder folder;
  const std::string path = folder / "ceilings.json";
  EXPECT_EQ(probed_machine("mips", path).rejection().reason(), Reason::UnknownMachine);
  for (const std::string& name : machine_names()) {
    const auto probed = probed_machine(name, path);
    if (!machine_named(name)->runs_here()) {
      EXPECT_EQ(probed.rejection().reason(), Reason::ForeignMachine) << name;
      continue;
    }
    ASSERT_TRUE(probed.ok()) << probed.rejection().message();
    EXPECT_EQ(fingerprint_of(*probed), fingerprint_of(on_this_processor(*machine_named(name))));
    EXPECT_EQ(probed->model, host_machine().model) << "times are those of a processor";
    EXPECT_EQ(probed->isa, machine_named(name)->isa);
    // What a vector load moves is the width of the machine's vectors, not of the widest here.
    const Ceilings& found = *probed->ceilings;
    EXPECT_DOUBLE_EQ(found.loads_per_ns * probed->vector_bytes, found.l1_gbs) << name;
  }
}

TEST(Machines, NeedAFolderThatCanBeMade) {
  const ScratchFolder folder;
  const std::string file = folder / "file";
  ASSERT_TRUE(write_file(file, "").ok());
  EXPECT_EQ(probed_host(file + "/x/ceilings.json").rejection().reason(), Reason::Unwritable);
}

TEST(Machines, AreReadAsTheyAreWritten) {
  for (const std::string& name : machine_names()) {
    const Machine machine = *machine_named(name);
    const auto read = machine_of(json_of(machine));
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    EXPECT_EQ(fingerprint_of(*read), fingerprint_of(machine));
    EXPECT_EQ(json_of(*read), json_of(machine));
  }
}

TEST(Machines, AreRefusedWhereAFieldMakesNoSense) {
  const auto field_of = [](const char* name, const nlohmann::json& value) {
    nlohmann::json described = json_of(*machine_named("avx2"));
    described[name] = value;
    const auto read = machine_of(described);
    return read.ok() ? std::string("taken") : read.rejection().message();
  };
  EXPECT_EQ(machine_of("avx2").rejection().reason(), Reason::MissingField);
  EXPECT_EQ(machine_of(nlohmann::json::object()).rejection().reason(), Reason::MissingField);
  EXPECT_NE(field_of("triple", 3).find("'triple'"), std::string::npos);
  EXPECT_NE(field_of("cores", 0).find("'cores'"), std::string::npos);
  EXPECT_NE(field_of("l3_bytes", 1e30).find("'l3_bytes'"), std::string::npos);
  EXPECT_NE(field_of("l3_bytes", std::int64_t{1} << 40).find("'l3_bytes'"), std::string::npos);
  EXPECT_NE(field_of("vector_bytes", 33).find("'vector_bytes'"), std::string::npos);
  EXPECT_NE(field_of("isa", "mmx").find("'isa'"), std::string::npos);
  EXPECT_EQ(field_of("cores", 7), "taken");
}

TEST(Machines, SayNullWhereNothingWasProbed) {
  EXPECT_TRUE(json_of(host_machine())["ceilings"].is_null());
}

}  // namespace
}  // namespace cambium::engine
