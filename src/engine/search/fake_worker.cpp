// A worker for the tests of the pool: does what the options of the job say.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

#include "engine/search/job_lines.h"

int main(int, char** argv) {
  using namespace cambium;
  const std::string folder = argv[1];
  std::int64_t served = 0;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto read = engine::parse_job(line);
    if (!read.ok()) return 3;
    const std::string& what = read->job.key.options;
    if (what == "crash") std::raise(SIGSEGV);
    if (what == "exit") {
      std::cerr << "I give up\n";
      return 4;
    }
    if (what == "hang") ::sleep(1000);
    if (what == "slow") {
      std::ofstream(folder + "/slow") << "x";
      ::usleep(200'000);
    }
    // Until somebody lets it go on.
    if (what == "busy") {
      std::ofstream(folder + "/slow") << "x";
      while (!std::filesystem::exists(folder + "/let go")) ::usleep(1000);
    }
    if (what == "crash once") {
      const std::string mark = folder + "/mark";
      if (!std::ifstream(mark)) {
        std::ofstream(mark) << "x";
        std::raise(SIGKILL);
      }
    }
    // A device that is lost after ten jobs of anybody, until somebody brings it back.
    bool is_lost = false;
    if (what == "lost" || what == "deadly") {
      std::ofstream(folder + "/jobs", std::ios::app) << "x";
      is_lost = std::filesystem::file_size(folder + "/jobs") > 10 &&
                !std::filesystem::exists(folder + "/back");
      if (is_lost && what == "deadly") std::abort();
    }
    // Where another job runs, there is neither memory nor time for this one.
    const bool has_company = std::filesystem::exists(folder + "/slow");
    if (what == "slow" || what == "busy") std::filesystem::remove(folder + "/slow");
    const bool minds_company = what == "patient" || what == "large";
    if (minds_company && has_company) std::ofstream(folder + "/beside") << "x";
    if (what == "patient" && has_company) ::sleep(1000);
    if (what == "hungry") {
      std::vector<char> much(std::size_t{600} << 20, 'x');
      if (much[much.size() / 2] != 'x') return 6;
    }
    if (what == "stamp") std::ofstream(folder + "/stamp") << "x";
    if (what == "no number") {
      std::cout << R"({"id": )" << read->job.id << R"(, "state": "done", "values": {"x": null}})"
                << std::endl;
      continue;
    }
    if (what == "talk") std::cout << "hello there\n{\"id\": 77}\n";
    search::JobResult result;
    result.id = read->job.id;
    result.evaluation.values["served"] = {static_cast<double>(++served), 0, 1, false};
    result.evaluation.values["process"] = {static_cast<double>(::getpid()), 0, 1, false};
    result.evaluation.seconds = 0.5;
    result.evaluation.curve = {{1, 0.5, 2.25, 10}};
    if (what == "refuse") {
      result.evaluation.state = store::EvaluationState::Refused;
      result.evaluation.reason = "NotPromising";
      result.evaluation.detail = "no \"good\"";
    }
    if (what == "large" && has_company) {
      result.evaluation.state = store::EvaluationState::Refused;
      result.evaluation.reason = "NotEnoughMemory";
      result.evaluation.detail = "the GPU is full";
    }
    if (is_lost) {
      result.evaluation.state = store::EvaluationState::Refused;
      result.evaluation.reason = "Unavailable";
      result.evaluation.detail = "cuda:0 is not available: libtorch sees 0 GPUs";
    }
    const double was_auto = read->setting.device == "auto" ? 1 : 0;
    if (what == "device") result.evaluation.values["was auto"] = {was_auto, 0, 1, false};
    if (what == "device") ::usleep(100'000);
    result.device = read->setting.device == "auto" ? "cuda:0" : read->setting.device;
    if (what == "artifact")
      result.artifacts = {{"weights", {std::byte{1}, std::byte{0}, std::byte{255}}}};
    const auto answer = engine::result_line(result, folder);
    if (!answer.ok()) return 5;
    std::cout << *answer << std::endl;
  }
  return 0;
}
