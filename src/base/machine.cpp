#include "base/machine.h"

#include <algorithm>

#include <sched.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/file.h"
#include "base/text.h"

namespace cambium {
namespace {

// The widest processors that LLVM names and every processor of the set is. Its x86-64-v4 prefers
// vectors of half the width, for code that it vectorizes itself; our schedules choose the width.
Machine of_isa(Isa isa) {
  Machine machine;
  machine.isa = isa;
  switch (isa) {
    case Isa::Avx2:
      machine.triple = "x86_64-linux-gnu";
      machine.cpu = "x86-64-v3";
      break;
    case Isa::Avx512:
      machine.triple = "x86_64-linux-gnu";
      machine.cpu = "x86-64-v4";
      machine.features = "-prefer-256-bit";
      machine.vector_bytes = 64;
      machine.vector_registers = 32;
      break;
    case Isa::Neon:
      machine.triple = "aarch64-linux-gnu";
      machine.cpu = "generic";
      machine.vector_bytes = 16;
      machine.vector_registers = 32;
      machine.l1_bytes = 64 << 10;
      break;
  }
  return machine;
}

// What this processor and its operating system (which must save the registers) can execute.
bool executes(Isa isa) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2");
  if (isa == Isa::Avx2) return v3;
  return isa == Isa::Avx512 && v3 && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
  return isa == Isa::Neon;
#else
  (void)isa;
  return false;
#endif
}

std::string processor_name() {
#if defined(__x86_64__)
  unsigned words[12] = {};
  const auto highest = static_cast<unsigned>(__get_cpuid_max(0x80000000U, nullptr));
  if (highest >= 0x80000004U) {
    for (unsigned i = 0; i < 3; ++i) {
      __get_cpuid(0x80000002U + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                  &words[4 * i + 3]);
    }
    const std::string_view text(reinterpret_cast<const char*>(words), sizeof words);
    return std::string(trim(text.substr(0, text.find('\0'))));
  }
#endif
  return "an unknown processor";
}

// The cores that this process may use: a container or taskset leaves fewer than there are.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

// "48K" in /sys/devices/system/cpu/cpu0/cache/index0/size; 0 when it is not told.
std::int64_t cache_from_sysfs(int level) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto told_level = read_file(folder + "level", 4096);
    const auto type = read_file(folder + "type", 4096);
    const auto size = read_file(folder + "size", 4096);
    if (!told_level || !type || !size) continue;
    if (trim(*told_level) != std::to_string(level) || trim(*type) == "Instruction") continue;
    std::string_view digits = trim(*size);
    std::int64_t unit = 1;
    if (digits.ends_with('K')) unit = 1 << 10;
    if (digits.ends_with('M')) unit = 1 << 20;
    if (unit > 1) digits.remove_suffix(1);
    const auto number = parse_int(digits, 0, std::int64_t{1} << 32);
    if (number) return *number * unit;
  }
  return 0;
}

std::int64_t cache_bytes(int level, int name, std::int64_t otherwise) {
  const std::int64_t told = ::sysconf(name);
  if (told > 0) return told;
  const std::int64_t read = cache_from_sysfs(level);
  return read > 0 ? read : otherwise;
}

Isa host_isa() {
  if (executes(Isa::Avx512)) return Isa::Avx512;
#if defined(__aarch64__)
  return Isa::Neon;
#else
  return Isa::Avx2;  // on older processors `runs_here` says no
#endif
}

struct Named {
  const char* name;
  Isa isa;
};
constexpr Named kNamed[] = {{"avx2", Isa::Avx2}, {"avx512", Isa::Avx512}, {"aarch64", Isa::Neon}};

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::Avx2: return "avx2";
    case Isa::Avx512: return "avx512";
    case Isa::Neon: return "neon";
  }
  return "?";
}

bool Machine::runs_here() const {
  return executes(isa);
}

Fingerprint fingerprint_of(const Machine& machine) {
  Hasher hasher;
  hasher.add(machine.triple).add(machine.cpu).add(machine.features).add(machine.model);
  hasher.add(machine.isa).add(machine.vector_bytes).add(machine.vector_registers);
  hasher.add(machine.cores).add(machine.l1_bytes).add(machine.l2_bytes).add(machine.l3_bytes);
  return hasher.done();
}

Machine host_machine() {
  Machine machine = of_isa(host_isa());
  machine.name = "host";
  machine.model = processor_name();
  machine.cores = usable_cores();
  machine.l1_bytes = cache_bytes(1, _SC_LEVEL1_DCACHE_SIZE, machine.l1_bytes);
  machine.l2_bytes = cache_bytes(2, _SC_LEVEL2_CACHE_SIZE, machine.l2_bytes);
  machine.l3_bytes = cache_bytes(3, _SC_LEVEL3_CACHE_SIZE, machine.l3_bytes);
  return machine;
}

Result<Machine> machine_named(std::string_view name) {
  if (name == "host") return host_machine();
  for (const Named& named : kNamed) {
    if (name != named.name) continue;
    Machine machine = of_isa(named.isa);
    machine.name = named.name;
    machine.model = "any " + std::string(name_of(named.isa));
    machine.cores = 4;
    return machine;
  }
  return Rejection(Reason::UnknownMachine, std::string(name), join(machine_names(), ", "));
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names{"host"};
  for (const Named& named : kNamed) names.emplace_back(named.name);
  return names;
}

}  // namespace cambium
