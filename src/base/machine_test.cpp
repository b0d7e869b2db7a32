#include "base/machine.h"

#include <set>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Machine, HostRunsItsOwnCode) {
  const Machine host = host_machine();
  EXPECT_EQ(host.name, "host");
  EXPECT_FALSE(host.model.empty());
  EXPECT_GE(host.cores, 1);
  EXPECT_LE(host.l1_bytes, host.l2_bytes);
  EXPECT_GT(host.l1_bytes, 0);
#if defined(__x86_64__)
  __builtin_cpu_init();
  EXPECT_EQ(host.runs_here(), static_cast<bool>(__builtin_cpu_supports("avx2")));
#endif
}

TEST(Machine, EveryNameNamesAMachineOfItsOwn) {
  std::set<Fingerprint> seen;
  for (const std::string& name : machine_names()) {
    const auto machine = machine_named(name);
    ASSERT_TRUE(machine.ok()) << name;
    EXPECT_EQ(machine->name, name);
    EXPECT_TRUE(seen.insert(fingerprint_of(*machine)).second) << name;
    EXPECT_EQ(machine->lanes(4) * 4, machine->vector_bytes);
  }
  EXPECT_EQ(machine_named("avx512")->cpu, "x86-64-v4");
  EXPECT_EQ(machine_named("avx512")->lanes(), 16);
  EXPECT_EQ(machine_named("aarch64")->triple, "aarch64-linux-gnu");
}

TEST(Machine, RefusesAnUnknownNameAndSaysWhichThereAre) {
  const auto machine = machine_named("pdp11");
  ASSERT_FALSE(machine.ok());
  EXPECT_EQ(machine.rejection().reason(), Reason::UnknownMachine);
  EXPECT_EQ(machine.rejection().message(),
            "unknown machine 'pdp11'; expected one of host, avx2, avx512, aarch64");
}

TEST(Machine, NamedMachinesAreTheSameWhereverTheCompilerRuns) {
  const Machine machine = *machine_named("avx2");
  EXPECT_EQ(machine.cores, 4);
  EXPECT_EQ(machine.l2_bytes, 1 << 20);
  EXPECT_EQ(machine.model, "any avx2");
}

TEST(Machine, ForeignCodeDoesNotRunHere) {
  const bool arm = machine_named("aarch64")->runs_here();
  const bool x86 = machine_named("avx2")->runs_here();
  EXPECT_FALSE(arm && x86);
}

TEST(Machine, CeilingsAreNoPartOfTheFingerprint) {
  Machine machine = *machine_named("avx2");
  const Fingerprint before = fingerprint_of(machine);
  machine.ceilings = Ceilings{.fma_gflops = 100};
  EXPECT_EQ(fingerprint_of(machine), before);
  machine.cores = 5;
  EXPECT_NE(fingerprint_of(machine), before);
}

}  // namespace
}  // namespace cambium
