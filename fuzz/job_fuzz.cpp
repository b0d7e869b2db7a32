// Hostile lines to a worker, and the setup of a search as a study keeps it: read or refused, and
// what is read is written as it reads back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json.h"
#include "engine/search/job_lines.h"
#include "engine/search/setup.h"

namespace {

// Whole numbers stand in the line as they were given. Their text: comparing them as JSON would take
// large ones for negative ones.
void check_numbers(std::string_view input, std::string_view line) {
  const nlohmann::json given = *cambium::parse_json(input), written = *cambium::parse_json(line);
  for (const char* place : {"/id", "/threads", "/key/seed"}) {
    const nlohmann::json::json_pointer at(place);
    CAMBIUM_CHECK(given[at].dump() == written[at].dump(), place);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cambium;  // NOLINT(google-build-using-namespace)
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  // Results are not read: they name files, which whoever reads them takes away.
  static_cast<void>(engine::is_result_of(input, 1));
  if (const auto job = engine::parse_job(input); job.ok()) {
    const std::string line = engine::job_line(job->job, job->setting);
    const auto again = engine::parse_job(line);
    CAMBIUM_CHECK(again.ok() && engine::job_line(again->job, again->setting) == line, line);
    check_numbers(input, line);
  } else {
    CAMBIUM_CHECK(!job.rejection().message().empty(), "a refusal says why");
  }
  if (const auto setup = engine::parse_setup(std::string(input)); setup.ok()) {
    const std::string text = engine::to_json(*setup);
    const auto again = engine::parse_setup(text);
    CAMBIUM_CHECK(again.ok() && engine::to_json(*again) == text, text);
  }
  return 0;
}
