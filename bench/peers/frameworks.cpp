#include "peers/frameworks.h"

#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/quantile.h"
#include "base/temporary_folder.h"
#include "engine/files.h"
#include "peers/peer_process.h"

namespace cambium::bench {

namespace {

// Threads of libraries, ours among them, may spin for a while after a call.
constexpr std::chrono::milliseconds kPause(50);

const char* script_of(Framework framework) {
  switch (framework) {
    case Framework::OnnxRuntime: return "onnx_runtime_peer.py";
    case Framework::OpenVino: return "openvino_peer.py";
    case Framework::LibTorch: return "torch_peer.py";
    case Framework::Tvm: return "tvm_peer.py";
  }
  return "";
}

// As measure::compare does it, with one of the two elsewhere.
Result<measure::Comparison> against(PeerProcess& peer, const measure::Call& ours,
                                    const FrameworkOptions& options) {
  std::vector<double> ratios, mine, theirs;
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> most(options.most_seconds);
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    if (round > 0 && std::chrono::steady_clock::now() - begin > most) break;
    for (int turn = 0; turn < 2; ++turn) {
      if (options.threads > 1) std::this_thread::sleep_for(kPause);
      if ((turn + round) % 2 == 0) {
        mine.push_back(measure::time_burst(ours, options.burst).seconds);
      } else {
        CAMBIUM_TRY(const double seconds, peer.burst(options.burst));
        theirs.push_back(seconds);
      }
    }
    ratios.push_back(theirs.back() / mine.back());
  }
  measure::Comparison found;
  found.ratio = median(ratios);
  std::vector<double> distances;
  for (const double r : ratios) distances.push_back(std::abs(r / found.ratio - 1));
  found.spread = median(distances);
  found.low = quantile(ratios, 0.25);
  found.high = quantile(ratios, 0.75);
  found.ours_seconds = median(mine);
  found.theirs_seconds = median(theirs);
  found.rounds = std::ssize(ratios);
  return found;
}

}  // namespace

const char* name_of(Framework framework) {
  switch (framework) {
    case Framework::OnnxRuntime: return "onnxruntime";
    case Framework::OpenVino: return "openvino";
    case Framework::LibTorch: return "libtorch";
    case Framework::Tvm: return "tvm";
  }
  return "";
}

FrameworkComparison compare_framework(Framework framework, const model::Model& model,
                                      const measure::Call& ours, const FrameworkOptions& options) {
  FrameworkComparison out;
  out.peer = name_of(framework);
  const auto refused = [&out](const std::string& why) {
    out.missing = why;
    return out;
  };
  const auto folder = TemporaryFolder::make();
  if (!folder.ok()) return refused(folder.rejection().message());
  const std::string onnx = *folder / "model.onnx";
  const Status saved = engine::save_model(model, onnx);
  if (!saved.ok()) return refused(saved.rejection().message());
  const bool is_torch = framework == Framework::LibTorch;
  auto peer = PeerProcess::start({is_torch ? options.torch_python : options.python,
                                  options.folder + "/" + script_of(framework), onnx, "--threads",
                                  std::to_string(options.threads), "--seconds",
                                  fmt::format("{}", options.tune_seconds), "--trials",
                                  std::to_string(options.tune_trials), "--work", options.work});
  if (!peer.ok()) return refused(peer.rejection().message());
  if (!peer->missing.empty()) return refused(peer->missing);
  out.peer = peer->name;
  out.version = peer->version;
  out.note = peer->note;
  const auto compared = against(*peer, ours, options);
  if (!compared.ok()) return refused(compared.rejection().message());
  out.comparison = *compared;
  return out;
}

nlohmann::json json_of(const FrameworkComparison& found) {
  if (!found.missing.empty()) return {{"peer", found.peer}, {"missing", found.missing}};
  const measure::Comparison& c = found.comparison;
  return {{"peer", found.peer},
          {"version", found.version},
          {"note", found.note},
          {"ratio", c.ratio},
          {"spread", c.spread},
          {"rounds", c.rounds},
          {"ours_seconds", c.ours_seconds},
          {"theirs_seconds", c.theirs_seconds}};
}

}  // namespace cambium::bench
