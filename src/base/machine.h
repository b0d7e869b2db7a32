// Machine: the target of code generation and measurements, as plain data with a fingerprint
// (--machine on the command line). `host_machine` asks the processor; `machine_named` knows a few
// others, for cross compilation. measure/ceilings.h measures ceilings; they are never assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium {

enum class Isa : std::uint8_t { Avx2, Avx512, Neon };
std::string_view name_of(Isa isa);

// The measured peak rates of one core. Bandwidths are of reads that stay in that cache level.
struct Ceilings {
  double fma_gflops = 0;    // f32, two per lane
  double loads_per_ns = 0;  // vectors from L1
  double l1_gbs = 0, l2_gbs = 0, l3_gbs = 0, dram_gbs = 0;
  double all_fma_gflops = 0, all_dram_gbs = 0;  // all cores at once
};

struct Machine {
  std::string name;      // "host", "avx2", "avx512", "aarch64"
  std::string triple;    // as LLVM writes it
  std::string cpu;       // as LLVM writes it
  std::string features;  // "+avx512f,+fma": what the generated code may use beyond `cpu`
  std::string model;     // the name that the processor reports, for people
  Isa isa = Isa::Avx2;
  int vector_bytes = 32;
  int vector_registers = 16;
  int cores = 1;
  std::int64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20;
  std::optional<Ceilings> ceilings;

  std::int64_t lanes(std::int64_t element_bytes = 4) const { return vector_bytes / element_bytes; }
  bool runs_here() const;  // whether this process can execute its code
};

Fingerprint fingerprint_of(const Machine& machine);  // without the ceilings

Machine host_machine();
// Refuses UnknownMachine, which lists the known names.
Result<Machine> machine_named(std::string_view name);
std::vector<std::string> machine_names();

}  // namespace cambium
