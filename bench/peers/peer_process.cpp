#include "peers/peer_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX has it so

namespace cambium::bench {

struct PeerProcess::State {
  pid_t process = -1;
  FILE* to = nullptr;
  FILE* from = nullptr;

  ~State() {
    if (to != nullptr) std::fclose(to);
    if (from != nullptr) std::fclose(from);
    if (process <= 0) return;
    ::kill(process, SIGTERM);
    ::waitpid(process, nullptr, 0);
  }
};

PeerProcess::PeerProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
PeerProcess::PeerProcess(PeerProcess&&) noexcept = default;
PeerProcess& PeerProcess::operator=(PeerProcess&&) noexcept = default;
PeerProcess::~PeerProcess() = default;

Result<PeerProcess> PeerProcess::start(const std::vector<std::string>& argv) {
  int down[2], up[2];
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) {
    return Rejection(Reason::Unstartable, argv[0], std::strerror(errno));
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, down[0], 0);
  posix_spawn_file_actions_adddup2(&files, up[1], 1);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  auto state = std::make_unique<State>();
  const int failed =
      ::posix_spawnp(&state->process, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(down[0]);
  ::close(up[1]);
  state->to = ::fdopen(down[1], "w");
  state->from = ::fdopen(up[0], "r");
  if (failed != 0) {
    state->process = -1;
    return Rejection(Reason::Unstartable, argv[0], std::strerror(failed));
  }
  ::signal(SIGPIPE, SIG_IGN);  // one that died answers no more; it must not end us
  PeerProcess peer(std::move(state));
  const auto line = peer.answer();
  const nlohmann::json hello =
      line.ok() ? nlohmann::json::parse(*line, nullptr, false) : nlohmann::json();
  if (!hello.is_object()) {
    peer.missing = "it ended without a word";
  } else {
    peer.missing = hello.value("missing", "");
    peer.name = hello.value("name", "");
    peer.version = hello.value("version", "");
    peer.note = hello.value("note", "");
  }
  return peer;
}

Result<std::string> PeerProcess::answer() {
  std::string line;
  for (int c = 0; (c = std::fgetc(state_->from)) != EOF && c != '\n';) {
    line += static_cast<char>(c);
  }
  if (line.empty()) return Rejection(Reason::RunnerFailed, "the peer ended");
  return line;
}

Result<double> PeerProcess::burst(const measure::BurstOptions& options) {
  const std::string question = fmt::format("burst {} {} {}\n", options.warmup_seconds,
                                           options.slice_seconds, options.slices);
  std::fputs(question.c_str(), state_->to);
  std::fflush(state_->to);
  CAMBIUM_TRY(const std::string line, answer());
  const nlohmann::json found = nlohmann::json::parse(line, nullptr, false);
  if (!found.is_object() || !found.contains("seconds")) {
    return Rejection(Reason::RunnerFailed, "a peer answered " + line);
  }
  return found["seconds"].get<double>();
}

}  // namespace cambium::bench
