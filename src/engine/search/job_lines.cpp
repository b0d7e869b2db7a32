#include "engine/search/job_lines.h"

#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "engine/ranges.h"
#include "engine/search/fields.h"

namespace cambium::engine {
namespace {

using nlohmann::json;
using store::EvaluationState;

Rejection bad(const std::string& what) {
  return Rejection(Reason::BadJob, what);
}

json json_of(const store::EvaluationKey& key) {
  return {{"candidate", key.candidate.text()},
          {"evaluator", key.evaluator},
          {"version", key.version},
          {"options", key.options},
          {"fidelity", key.fidelity},
          {"seed", key.seed},
          {"machine", key.machine.text()}};
}

Result<store::EvaluationKey> key_of(const json& object) {
  store::EvaluationKey key;
  CAMBIUM_REQUIRE(Fields(object)
                      .take("candidate", key.candidate)
                      .take("evaluator", key.evaluator)
                      .take("version", key.version)
                      .take("options", key.options)
                      .take("fidelity", key.fidelity)
                      .take("seed", key.seed)
                      .take("machine", key.machine)
                      .status());
  return key;
}

}  // namespace

std::string job_line(const search::Job& job, const JobSetting& setting) {
  return json_text({{"id", job.id},
                    {"key", json_of(job.key)},
                    {"candidate", job.candidate},
                    {"reference", job.reference},
                    {"model", setting.model},
                    {"bind", object_of(setting.bind)},
                    {"data", setting.data},
                    {"spaces", setting.spaces},
                    {"db", setting.db},
                    {"machine_file", setting.machine_file},
                    {"device", setting.device},
                    {"threads", setting.threads}});
}

namespace {

Result<ReadJob> read_job(std::string_view line) {
  CAMBIUM_TRY(const json object, parse_json(line));
  ReadJob read;
  Fields fields(object);
  const json* key = fields.find("key");
  CAMBIUM_REQUIRE(fields.take("id", read.job.id)
                      .take("candidate", read.job.candidate)
                      .take("model", read.setting.model)
                      .take("bind", read.setting.bind)
                      .take("data", read.setting.data)
                      .take("spaces", read.setting.spaces)
                      .take("db", read.setting.db)
                      .take("machine_file", read.setting.machine_file)
                      .take("device", read.setting.device)
                      .take("threads", read.setting.threads, ranges::kThreads)
                      .status());
  CAMBIUM_TRY(read.job.key, key_of(*key));
  if (const auto reference = object.find("reference"); reference != object.end()) {
    if (!reference->is_array()) return bad("field 'reference' must be an array");
    for (const json& value : *reference) {
      if (!value.is_number()) return bad("field 'reference' has numbers");
      read.job.reference.push_back(value.get<double>());
    }
  }
  return read;
}

// Any mistake of a line is a BadJob, but a file that cannot be read is not.
template <class T>
Result<T> as_bad_job(Result<T> result) {
  if (result.ok()) return result;
  switch (result.rejection().reason()) {
    case Reason::BadJob:
    case Reason::NotFound:
    case Reason::Unreadable: return result;
    default: return Rejection(Reason::BadJob, result.rejection().message());
  }
}

}  // namespace

Result<ReadJob> parse_job(std::string_view line) {
  return as_bad_job(read_job(line));
}

Result<std::string> result_line(const search::JobResult& result, const std::string& folder) {
  const store::Evaluation& evaluation = result.evaluation;
  json values = json::object(), curve = json::array(), artifacts = json::array();
  for (const auto& [name, value] : evaluation.values) {
    values[name] = {{"value", value.value},
                    {"spread", value.spread},
                    {"samples", value.samples},
                    {"estimate", value.is_estimate}};
  }
  for (const store::CurvePoint& point : evaluation.curve) {
    curve.push_back({point.x, point.value, point.loss, point.seconds});
  }
  for (const store::Artifact& artifact : result.artifacts) {
    const std::string path =
        (std::filesystem::path(folder) / fmt::format("{}.{}", result.id, artifacts.size()))
            .string();
    CAMBIUM_REQUIRE(
        write_file(path, std::string_view(reinterpret_cast<const char*>(artifact.bytes.data()),
                                          artifact.bytes.size())));
    artifacts.push_back({{"name", artifact.name}, {"file", path}});
  }
  return json_text({{"id", result.id},
                    {"state", store::name_of(evaluation.state)},
                    {"values", std::move(values)},
                    {"reason", evaluation.reason},
                    {"detail", evaluation.detail},
                    {"seconds", evaluation.seconds},
                    {"device", result.device},
                    {"curve", std::move(curve)},
                    {"artifacts", std::move(artifacts)}});
}

namespace {

Status read_values(const json& values, store::Evaluation& evaluation) {
  if (!values.is_object()) return bad("field 'values' must be an object");
  for (const auto& [name, value] : values.items()) {
    store::StudyValue& into = evaluation.values[name];
    CAMBIUM_REQUIRE(Fields(value)
                        .take("value", into.value)
                        .take("spread", into.spread)
                        .take("samples", into.samples)
                        .take("estimate", into.is_estimate)
                        .status());
  }
  return Ok{};
}

Status read_curve(const json& curve, store::Evaluation& evaluation) {
  for (const json& point : curve) {
    if (!point.is_array() || point.size() != 4)
      return bad("each point of 'curve' must have four numbers");
    std::array<double, 4> numbers{};
    for (std::size_t i = 0; i < 4; ++i) {
      // A loss that is not finite is null.
      numbers[i] =
          point[i].is_number() ? point[i].get<double>() : std::numeric_limits<double>::quiet_NaN();
    }
    evaluation.curve.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  return Ok{};
}

Status read_artifacts(const json& artifacts, std::vector<store::Artifact>& into) {
  for (const json& each : artifacts) {
    store::Artifact artifact;
    std::string file;
    CAMBIUM_REQUIRE(Fields(each).take("name", artifact.name).take("file", file).status());
    CAMBIUM_TRY(const std::string content, read_file(file));
    const auto bytes = std::as_bytes(std::span(content));
    artifact.bytes.assign(bytes.begin(), bytes.end());
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    into.push_back(std::move(artifact));
  }
  return Ok{};
}

Result<search::JobResult> read_result(std::string_view line) {
  CAMBIUM_TRY(const json object, parse_json(line));
  search::JobResult result;
  store::Evaluation& evaluation = result.evaluation;
  std::string state;
  Fields fields(object);
  CAMBIUM_REQUIRE(fields.take("id", result.id)
                      .take("state", state)
                      .take("reason", evaluation.reason)
                      .take("detail", evaluation.detail)
                      .take("seconds", evaluation.seconds)
                      .status());
  if (object.contains("device")) CAMBIUM_REQUIRE(fields.take("device", result.device).status());
  if (state != "done" && state != "refused") return bad("field 'state' is '" + state + "'");
  evaluation.state = state == "done" ? EvaluationState::Done : EvaluationState::Refused;
  const json* const values = fields.find("values");
  const json* const curve = fields.find_array("curve");
  const json* const artifacts = fields.find_array("artifacts");
  CAMBIUM_REQUIRE(fields.status());
  CAMBIUM_REQUIRE(read_values(*values, evaluation));
  CAMBIUM_REQUIRE(read_curve(*curve, evaluation));
  CAMBIUM_REQUIRE(read_artifacts(*artifacts, result.artifacts));
  return result;
}

}  // namespace

Result<search::JobResult> parse_result(std::string_view line) {
  return as_bad_job(read_result(line));
}

bool is_result_of(std::string_view line, std::int64_t id) {
  const auto parsed = parse_json(line);
  return parsed.ok() && parsed->is_object() && parsed->contains("state") &&
         parsed->contains("id") && (*parsed)["id"] == id;
}

}  // namespace cambium::engine
