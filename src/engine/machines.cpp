#include "engine/machines.h"

#include <filesystem>
#include <system_error>

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

}  // namespace

Result<Machine> probed_host(const std::string& path, bool again) {
  const std::filesystem::path file(path);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) return Rejection(Reason::Unwritable, file.parent_path(), error.message());
  if (again) std::filesystem::remove(file, error);
  if (error) return Rejection(Reason::Unwritable, path, error.message());
  return measure::with_ceilings(host_machine(), path);
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

nlohmann::json to_json(const Machine& machine) {
  nlohmann::json out = document("machine", 1);
  out["machine"] = json_of(machine);
  return out;
}

}  // namespace cambium::engine
