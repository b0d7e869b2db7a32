// Hostile lines: records of studies and of tuning, and candidates, which all come from files of
// others. What is accepted is written as it was read, and a candidate makes a sound model of a
// small one or is refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/fingerprint.h"
#include "model/target.h"
#include "model/verify.h"
#include "model/zoo/zoo.h"
#include "spaces/candidate.h"
#include "spaces/coordinate/search/space.h"
#include "store/study_lines.h"
#include "store/tuning_lines.h"

namespace {

using namespace cambium;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kMostEdits = 4;  // more say no more

// Whatever model it names: another one would be refused at once.
void apply(spaces::Candidate candidate) {
  static const model::Model base = model::zoo::build("tiny-resnet", {.image = 16}).value();
  static const auto space =
      spaces::coordinate::CoordinateSpace::make(base, model::select(base, "conv:*").value())
          .value();
  candidate.base = model::structure_of(base);
  if (candidate.edits.size() > kMostEdits) candidate.edits.resize(kMostEdits);
  const auto made = spaces::apply(base, candidate, {space.get()});
  if (!made.ok()) {
    CAMBIUM_CHECK(!made.rejection().message().empty(), "a refusal says why");
    return;
  }
  const Status sound = model::verify(*made);
  CAMBIUM_CHECK(sound.ok(), sound.ok() ? "" : sound.rejection().message());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto refused = [](const auto& result) {
    if (result.ok()) return false;
    CAMBIUM_CHECK(!result.rejection().message().empty(), "a refusal says why");
    return true;
  };
  if (const auto record = store::parse_study_line(input, 1); !refused(record)) {
    const std::string line = store::study_line(*record);
    const auto again = store::parse_study_line(line, 1);
    CAMBIUM_CHECK(again.ok() && store::study_line(*again) == line, line);
  }
  if (const auto record = store::parse_line(input, 1); !refused(record)) {
    const std::string line = store::to_line(*record);
    const auto again = store::parse_line(line, 1);
    CAMBIUM_CHECK(again.ok() && store::to_line(*again) == line, line);
  }
  if (const auto candidate = spaces::parse_candidate(input); !refused(candidate)) {
    const auto again = spaces::parse_candidate(spaces::to_json(*candidate));
    CAMBIUM_CHECK(again.ok() && *again == *candidate, spaces::to_json(*candidate));
    CAMBIUM_CHECK(spaces::identity_of(*again) == spaces::identity_of(*candidate), "its identity");
    apply(*candidate);
  }
  return 0;
}
