#include "engine/peers.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/json.h"
#include "base/process.h"
#include "base/text.h"
#include "model/text.h"

namespace cambium::engine {

namespace {

Result<PeerTime> parse_line(std::string_view line) {
  CAMBIUM_TRY(const nlohmann::json fields, parse_json(line));
  PeerTime time;
  const auto text = [&fields](const char* name) {
    return fields.contains(name) && fields[name].is_string() ? fields[name].get<std::string>() : "";
  };
  const auto number = [&fields](const char* name) {
    return fields.contains(name) && fields[name].is_number() ? fields[name].get<double>() : 0;
  };
  if (!fields.is_object() || text("peer").empty()) {
    return Rejection(Reason::MissingField, "peer", "a text");
  }
  time.peer = text("peer");
  time.implementation = text("implementation");
  time.missing = text("missing");
  time.seconds = number("seconds");
  time.spread = number("spread");
  if ((time.seconds > 0) == !time.missing.empty()) {
    return Rejection(Reason::MissingField, "seconds", "a positive number, or 'missing' a reason");
  }
  return time;
}

}  // namespace

std::string find_peers() {
  std::error_code error;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "cambium-peers";
  return ::access(beside.c_str(), X_OK) == 0 ? beside.string() : "";
}

Result<std::vector<PeerTime>> ask_peers(const std::string& executable, const model::Model& model,
                                        int threads, double seconds,
                                        const std::atomic<bool>* stop) {
  std::vector<PeerTime> peers;
  if (executable.empty()) return peers;
  ProcessRequest request{
      {executable, "--threads", std::to_string(threads)}, model::to_text(model), {}};
  request.limits.wall_seconds = seconds;
  request.stop = stop;
  CAMBIUM_TRY(const ProcessOutcome outcome, run_process(request));
  if (!outcome.succeeded()) {
    return Rejection(Reason::Unstartable, executable,
                     outcome.text() + " " + std::string(trim(outcome.errors)));
  }
  std::int64_t number = 0;
  for (const std::string_view line : split(outcome.output, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto time = parse_line(line);
    if (!time.ok()) {
      return Rejection(Reason::BadRecord, time.rejection().message(), "", number).at(executable);
    }
    peers.push_back(std::move(time).value());
  }
  return peers;
}

const PeerTime* best_peer(const std::vector<PeerTime>& peers) {
  const PeerTime* best = nullptr;
  for (const PeerTime& peer : peers) {
    if (peer.seconds > 0 && (best == nullptr || peer.seconds < best->seconds)) best = &peer;
  }
  return best;
}

}  // namespace cambium::engine
