#include "peers/frameworks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "engine/files.h"
#include "peers/peer_process.h"

namespace cambium::bench {

namespace {

struct Script {
  const char* name;
  const char* file;
  bool tunes = false, is_torch = false;
};
constexpr Script kScripts[] = {{"onnxruntime", "onnx_runtime_peer.py"},
                               {"libtorch", "torch_peer.py", false, true},
                               {"tvm", "tvm_peer.py", true}};
constexpr double kBurst = 0.15;  // seconds

// A file name of our own, and no file when this is gone.
struct TemporaryFile {
  std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("cambium-bench-{}.onnx", ::getpid()))
          .string();
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    std::filesystem::remove(path + ".data", ignored);
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Turns of both, the median of the ratios of neighbours.
Result<nlohmann::json> against(PeerProcess& peer, const measure::Call& ours, int rounds) {
  std::vector<double> ratios, mine, theirs;
  for (int i = 0; i < rounds; ++i) {
    measure::BurstOptions how;
    how.slice_seconds = kBurst / static_cast<double>(how.slices);
    mine.push_back(measure::time_burst(ours, how).seconds);
    CAMBIUM_TRY(const double seconds, peer.burst(kBurst));
    theirs.push_back(seconds);
    ratios.push_back(seconds / mine.back());
    ::usleep(50'000);  // some libraries' threads spin after a call
  }
  std::vector<double> distances;
  for (const double r : ratios) distances.push_back(std::abs(r / median(ratios) - 1));
  return nlohmann::json{{"ratio", median(ratios)},
                        {"spread", median(distances)},
                        {"ours_seconds", median(mine)},
                        {"theirs_seconds", median(theirs)}};
}

nlohmann::json ask(const Script& script, const std::string& onnx, const measure::Call& ours,
                   const FrameworkOptions& options) {
  nlohmann::json out = {{"peer", script.name}};
  std::vector<std::string> argv = {script.is_torch ? options.torch_python : options.python,
                                   options.folder + "/" + script.file, onnx, "--threads",
                                   std::to_string(options.threads)};
  if (script.tunes) {
    argv.insert(argv.end(), {"--seconds", fmt::format("{}", options.tune_seconds), "--work",
                             options.work + "." + script.name});
  }
  auto peer = PeerProcess::start(argv);
  if (!peer.ok() || !peer->missing.empty()) {
    out["missing"] = peer.ok() ? peer->missing : peer.rejection().message();
    return out;
  }
  out["version"] = peer->version;
  out["note"] = peer->note;
  const auto compared = against(*peer, ours, options.rounds);
  if (compared.ok()) {
    out.update(*compared);
  } else {
    out["missing"] = compared.rejection().message();
  }
  return out;
}

}  // namespace

nlohmann::json compare_frameworks(const model::Model& model, const measure::Call& ours,
                                  const FrameworkOptions& options) {
  const TemporaryFile onnx;
  const Status saved = engine::save_model(model, onnx.path);
  nlohmann::json out = nlohmann::json::array();
  for (const Script& script : kScripts) {
    if (script.tunes && options.tune_seconds <= 0) continue;
    out.push_back(saved.ok() ? ask(script, onnx.path, ours, options)
                             : nlohmann::json{{"peer", script.name},
                                              {"missing", saved.rejection().message()}});
  }
  return out;
}

}  // namespace cambium::bench
