#include "engine/machines.h"

#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/documents.h"
#include "measure/ceilings.h"

namespace cambium::engine {

namespace {

nlohmann::json json_of(const Ceilings& ceilings) {
  return {{"fma_gflops", ceilings.fma_gflops},
          {"loads_per_ns", ceilings.loads_per_ns},
          {"l1_gbs", ceilings.l1_gbs},
          {"l2_gbs", ceilings.l2_gbs},
          {"l3_gbs", ceilings.l3_gbs},
          {"dram_gbs", ceilings.dram_gbs},
          {"all_fma_gflops", ceilings.all_fma_gflops},
          {"all_dram_gbs", ceilings.all_dram_gbs}};
}

Status take(const nlohmann::json& described, const char* name, std::string& to) {
  if (!described.contains(name) || !described[name].is_string()) {
    return Rejection(Reason::MissingField, name, "a text");
  }
  to = described[name].get<std::string>();
  return Ok{};
}

template <class Number>
Status take(const nlohmann::json& described, const char* name, Number& to) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (described.contains(name) && described[name].is_number_integer()) {
    const auto value = described[name].get<std::int64_t>();
    to = static_cast<Number>(value);
    if (value > 0 && value <= kMost) return Ok{};
  }
  return Rejection(Reason::MissingField, name, "a positive number");
}

Result<Isa> isa_named(const std::string& name) {
  for (const Isa isa : {Isa::Avx2, Isa::Avx512, Isa::Neon}) {
    if (name == name_of(isa)) return isa;
  }
  return Rejection(Reason::MissingField, "isa", "a known instruction set");
}

}  // namespace

Result<Machine> probed_host(const std::string& path, bool again) {
  return probed_machine("host", path, again);
}

Machine on_this_processor(Machine machine) {
  if (!machine.runs_here()) return machine;
  const Machine host = host_machine();
  machine.model = host.model;
  machine.cores = host.cores;
  machine.l1_bytes = host.l1_bytes;
  machine.l2_bytes = host.l2_bytes;
  machine.l3_bytes = host.l3_bytes;
  return machine;
}

Result<Machine> probed_machine(const std::string& name, const std::string& path, bool again) {
  CAMBIUM_TRY(Machine machine, machine_named(name));
  const std::filesystem::path file(path);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) return Rejection(Reason::Unwritable, file.parent_path(), error.message());
  if (again) std::filesystem::remove(file, error);
  if (error) return Rejection(Reason::Unwritable, path, error.message());
  return measure::with_ceilings(on_this_processor(std::move(machine)), path);
}

nlohmann::json json_of(const Machine& machine) {
  return {{"name", machine.name},
          {"model", machine.model},
          {"triple", machine.triple},
          {"cpu", machine.cpu},
          {"features", machine.features},
          {"isa", std::string(name_of(machine.isa))},
          {"vector_bytes", machine.vector_bytes},
          {"vector_registers", machine.vector_registers},
          {"cores", machine.cores},
          {"l1_bytes", machine.l1_bytes},
          {"l2_bytes", machine.l2_bytes},
          {"l3_bytes", machine.l3_bytes},
          {"fingerprint", fingerprint_of(machine).text()},
          {"ceilings", machine.ceilings ? json_of(*machine.ceilings) : nlohmann::json(nullptr)}};
}

Result<Machine> machine_of(const nlohmann::json& described) {
  if (!described.is_object()) return Rejection(Reason::MissingField, "machine", "an object");
  Machine machine;
  std::string isa;
  CAMBIUM_REQUIRE(take(described, "name", machine.name));
  CAMBIUM_REQUIRE(take(described, "model", machine.model));
  CAMBIUM_REQUIRE(take(described, "triple", machine.triple));
  CAMBIUM_REQUIRE(take(described, "cpu", machine.cpu));
  CAMBIUM_REQUIRE(take(described, "features", machine.features));
  CAMBIUM_REQUIRE(take(described, "isa", isa));
  CAMBIUM_TRY(machine.isa, isa_named(isa));
  CAMBIUM_REQUIRE(take(described, "vector_bytes", machine.vector_bytes));
  if (!std::has_single_bit(static_cast<unsigned>(machine.vector_bytes)) ||
      machine.vector_bytes < 8 || machine.vector_bytes > 256) {
    return Rejection(Reason::MissingField, "vector_bytes", "a power of two from 8 to 256");
  }
  CAMBIUM_REQUIRE(take(described, "vector_registers", machine.vector_registers));
  CAMBIUM_REQUIRE(take(described, "cores", machine.cores));
  CAMBIUM_REQUIRE(take(described, "l1_bytes", machine.l1_bytes));
  CAMBIUM_REQUIRE(take(described, "l2_bytes", machine.l2_bytes));
  CAMBIUM_REQUIRE(take(described, "l3_bytes", machine.l3_bytes));
  return machine;
}

nlohmann::json to_json(const Machine& machine) {
  nlohmann::json out = document("machine", 1);
  out["machine"] = json_of(machine);
  return out;
}

}  // namespace cambium::engine
