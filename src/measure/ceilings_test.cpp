#include "measure/ceilings.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "measure/probes.h"

namespace cambium::measure {
namespace {

TEST(Ceilings, AreProbedOnceAndThenRead) {
  const ScratchFolder folder;
  const std::string path = folder / "ceilings.json";
  const auto first = with_ceilings(host_machine(), path);
  ASSERT_TRUE(first.ok()) << first.rejection().message();
  const Ceilings& c = *first->ceilings;
  for (const double rate : {c.fma_gflops, c.l1_gbs, c.dram_gbs, c.all_fma_gflops}) {
    EXPECT_GT(rate, 0);
  }
  EXPECT_DOUBLE_EQ(c.loads_per_ns * static_cast<double>(4 * host_probes().lanes), c.l1_gbs);
  const std::string written = *read_file(path);
  const auto second = with_ceilings(host_machine(), path);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->ceilings->fma_gflops, c.fma_gflops);
  EXPECT_EQ(second->ceilings->all_dram_gbs, c.all_dram_gbs);
  EXPECT_EQ(*read_file(path), written);

  // Half of the file, as a crash of something less careful leaves it, is probed again.
  ASSERT_TRUE(write_file(path, written.substr(0, written.size() / 2)).ok());
  ASSERT_TRUE(with_ceilings(host_machine(), path).ok());
  EXPECT_GT(read_file(path)->size(), written.size() / 2);
  ::unlink(path.c_str());
}

TEST(Ceilings, AnEntryThatLacksANumberIsNotBelieved) {
  const ScratchFolder folder;
  const std::string path = folder / "ceilings.json";
  const std::string key = fingerprint_of(host_machine()).text();
  ASSERT_TRUE(write_file(path, R"({"format": 2, "machines": {")" + key +
                                   R"(": {"fma_gflops": 1e9}, "other": {"kept": 1}}})")
                  .ok());
  const auto machine = with_ceilings(host_machine(), path);
  ASSERT_TRUE(machine.ok());
  EXPECT_LT(machine->ceilings->fma_gflops, 1e8);
  EXPECT_NE(read_file(path)->find("\"kept\""), std::string::npos);
  ::unlink(path.c_str());
}

// The first format had ceilings of a probe that spilled where there are 16 registers.
TEST(Ceilings, OfAnOlderProbeAreNotBelieved) {
  const ScratchFolder folder;
  const std::string path = folder / "ceilings.json";
  ASSERT_TRUE(with_ceilings(host_machine(), path).ok());
  std::string old = *read_file(path);
  const std::size_t at = old.find("\"format\": 2");
  ASSERT_NE(at, std::string::npos) << old;
  old[old.find('2', at)] = '1';
  ASSERT_TRUE(write_file(path, old).ok());
  ASSERT_TRUE(with_ceilings(host_machine(), path).ok());
  EXPECT_NE(read_file(path)->find("\"format\": 2"), std::string::npos);
}

TEST(Ceilings, ChainsOfTheProbeLeaveRegistersForItsOperands) {
  for (const char* name : {"avx2", "avx512"}) {
    const Machine machine = *machine_named(name);
    EXPECT_LE(probes_of(machine.isa).chains + 2, machine.vector_registers) << name;
  }
}

TEST(Ceilings, RefusesAMachineThatIsNotThisOne) {
  const char* const foreign = machine_named("aarch64")->runs_here() ? "avx2" : "aarch64";
  const auto refused = with_ceilings(*machine_named(foreign), ScratchFolder() / "ceilings.json");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::ForeignMachine);
}

TEST(Ceilings, RefusesAFileThatCannotBeWritten) {
  const auto refused = with_ceilings(host_machine(), "/nonexistent/folder/ceilings.json");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::Unwritable);
}

}  // namespace
}  // namespace cambium::measure
