// store_study_writer FILE FIRST [BALLAST]: adds the candidates FIRST, FIRST+1 .. with evaluations,
// curves and artifacts to a study and says what it has added once add() has returned, one line
// each, until it is killed or refused. A refusal is said too; with a BALLAST, a file that keeps
// room on the disk, it removes that and goes on once.
// store_study_writer FILE merge OTHER: merges and says so. Both for tests of studies.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "store/study_testing.h"

namespace {

using namespace cambium;         // NOLINT(google-build-using-namespace)
using namespace cambium::store;  // NOLINT(google-build-using-namespace)

// One write: what the parent reads is whole lines, but for the last.
void say(const std::string& line) {
  if (write(STDOUT_FILENO, (line + "\n").data(), line.size() + 1) < 0) std::exit(5);
}

Status add_all(StudyStore& store, std::uint64_t number) {
  const std::string name = std::to_string(number);
  CAMBIUM_REQUIRE(store.add(candidate_number(number)));
  say("candidate " + name);
  CAMBIUM_REQUIRE(store.add(evaluation_number(number, "cost")));
  say("cost " + name);
  CAMBIUM_REQUIRE(store.add(pending_evaluation(number, "accuracy", 0.5)));
  CAMBIUM_REQUIRE(
      store.add(evaluation_number(number, "accuracy"), {artifact_number(number, "weights")}));
  say("accuracy " + name);
  CAMBIUM_REQUIRE(store.set_state("tree-1", {static_cast<std::int64_t>(number), name}));
  say("state " + name);
  return Ok{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  auto store = StudyStore::open(argv[1]);
  if (!store.ok()) return 3;
  if (argv[2] == std::string_view("merge") && argc == 4) {
    if (!store->merge(argv[3]).ok()) return 4;
    say("merged 1");
    return 0;
  }
  const char* ballast = argc > 3 ? argv[3] : nullptr;
  for (std::uint64_t number = std::strtoull(argv[2], nullptr, 10);;) {
    const Status added = add_all(*store, number);
    if (added.ok()) {
      ++number;
      continue;
    }
    say("refused " + added.rejection().message());
    if (ballast == nullptr) return 0;
    std::remove(ballast);
    ballast = nullptr;
  }
}
