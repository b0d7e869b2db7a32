// Hostile databases: the bytes as a file, opened as a study and as tuning records. Whatever they
// are, everything that commands read of them, write into them and take from them into a file of
// their own is answered with a value or a Rejection; and what was taken over can be read there.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/temporary_folder.h"
#include "store/study_store.h"
#include "store/tuning_store.h"

namespace {

using namespace cambium;         // NOLINT(google-build-using-namespace)
using namespace cambium::store;  // NOLINT(google-build-using-namespace)

template <class R>
void answered(const R& result) {
  CAMBIUM_CHECK(result.ok() || !result.rejection().message().empty(), "a refusal says why");
}

Status swallow(const std::string&) {
  return Ok{};
}

void read_study(const std::string& path) {
  auto store = StudyStore::open(path, Mode::Read);
  answered(store);
  if (!store.ok()) return;
  answered(store->head());
  answered(store->rejections());
  answered(store->pending(""));
  answered(store->candidate_named("0"));
  answered(store->export_lines(swallow));
  Fingerprint last;
  answered(store->each_candidate([&](const StudyCandidate& candidate) {
    last = candidate.identity;
    return true;
  }));
  answered(store->evaluations(last));
  answered(store->artifact(last, "weights"));
}

void read_tuning(const std::string& path) {
  auto store = TuningStore::open(path, Mode::Read);
  answered(store);
  if (!store.ok()) return;
  answered(store->find("1"));
  answered(store->export_lines(swallow));
  const auto keys = store->keys();
  answered(keys);
  if (keys.ok() && !keys->empty()) answered(store->best(keys->front(), 4));
}

// A command that goes on with a study: one row in each table that it writes.
void write_study(const std::string& path) {
  auto store = StudyStore::open(path, Mode::Open);
  answered(store);
  if (!store.ok()) return;
  StudyCandidate candidate;
  candidate.identity = fingerprint_of("candidate");
  candidate.document = "{}";
  answered(store->add(candidate));
  Evaluation evaluation;
  evaluation.key.candidate = candidate.identity;
  evaluation.key.evaluator = "cost";
  evaluation.values["macs"] = {3};
  evaluation.curve = {{1, 0.5, 2, 3}};
  answered(store->claim(evaluation.key, "fuzz", 1, 2));
  answered(store->add(evaluation, {{"weights", std::vector<std::byte>(7)}}));
  answered(store->set_state("search", {1, "state"}));
  answered(store->set_options("search", "{}"));
  answered(store->let_go("fuzz"));
}

void write_tuning(const std::string& path) {
  auto store = TuningStore::open(path, Mode::Open);
  answered(store);
  if (!store.ok()) return;
  const auto keys = store->keys();
  answered(keys);
  const TuningKey key = keys.ok() && !keys->empty() ? keys->front() : TuningKey{};
  Trial trial;
  trial.scheduled = fingerprint_of("scheduled");
  trial.reason = "CodegenFailed";
  answered(store->remember({key.program, "program", "text"}));
  answered(store->begin(key, trial));
  answered(store->end(key, trial.scheduled));
  trial.samples = {{Protocol::Rank, 1e-3, 0.1, 3, 0}};
  const auto id = store->add(key, trial);
  answered(id);
  if (id.ok()) answered(store->refuse(*id, "WrongResult", "of fuzz"));
}

// In memory where there is such a file system: a case is a few files.
const std::string& folder() {
  static const auto made = [] {
    auto in_memory = TemporaryFolder::make_beside("/dev/shm/cambium-fuzz");
    auto found = in_memory.ok() ? std::move(in_memory) : TemporaryFolder::make();
    CAMBIUM_CHECK(found.ok(), "there is room for files");
    return std::move(found).value();
  }();
  return made.path();
}

constexpr const char* kEnds[] = {"", "-wal", "-shm", "-journal"};

void remove_database(const std::string& path) {
  for (const char* end : kEnds) std::filesystem::remove(path + end);
}

// A new store without rows: a copy, which is faster than making one.
template <class Store>
Store fresh(const std::string& name) {
  const std::string path = folder() + "/" + name;
  if (!std::filesystem::exists(path + ".empty")) {
    CAMBIUM_CHECK(Store::open(path + ".empty").ok(), "a store can be made");
  }
  remove_database(path);
  std::filesystem::copy_file(path + ".empty", path);
  return Store::open(path).value();
}

template <class Store>
void must_export(Store& store) {
  const Status written = store.export_lines(swallow);
  CAMBIUM_CHECK(written.ok(), written.ok() ? "" : written.rejection().message());
}

// The lines that a store writes, as far as it can.
template <class Store>
std::vector<std::string> lines_of(Store& store) {
  std::vector<std::string> lines;
  answered(store.export_lines([&lines](const std::string& line) -> Status {
    lines.push_back(line);
    return Ok{};
  }));
  return lines;
}

template <class Store>
void import_into(const std::string& name, const std::vector<std::string>& lines) {
  Store store = fresh<Store>(name);
  std::size_t next = 0;
  answered(store.import_lines([&]() -> std::optional<std::string> {
    if (next == lines.size()) return std::nullopt;
    return lines[next++];
  }));
  must_export(store);
}

void join_study(const std::string& path) {
  auto store = StudyStore::open(path, Mode::Read);
  answered(store);
  if (!store.ok()) return;
  import_into<StudyStore>("imported.study", lines_of(*store));
  StudyStore into = fresh<StudyStore>("merged.study");
  answered(into.merge(path));
  must_export(into);
}

void join_tuning(const std::string& path) {
  auto store = TuningStore::open(path, Mode::Read);
  answered(store);
  if (store.ok()) import_into<TuningStore>("imported.db", lines_of(*store));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = folder() + "/case.db";
  // Each has the bytes as they came: opening a file may change it.
  const auto with_bytes = [&](void (*use)(const std::string&)) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    use(path);
    remove_database(path);
  };
  with_bytes(read_study);
  with_bytes(read_tuning);
  // Writing takes longer: one way of it for each case, which the bytes choose.
  constexpr void (*kWrites[])(const std::string&) = {join_study, write_study, join_tuning,
                                                     write_tuning};
  with_bytes(kWrites[std::accumulate(bytes, bytes + size, 0U) % std::size(kWrites)]);
  return 0;
}
