#include "engine/search/job_lines.h"

#include <array>
#include <filesystem>
#include <span>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace cambium::engine {
namespace {

using nlohmann::json;
using store::EvaluationState;

Rejection bad(const std::string& what) {
  return Rejection(Reason::BadJob, what);
}

// Reads fields one after the other; the first that is missing or of another type sticks.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {
    if (!object.is_object()) wrong_ = "it is no JSON object";
  }

  template <class T>
  Fields& take(const char* name, T& into) {
    const json* value = find(name);
    if (value == nullptr) return *this;
    const bool fits = std::is_same_v<T, std::string> ? value->is_string()
                      : std::is_same_v<T, bool>      ? value->is_boolean()
                      : std::is_integral_v<T>        ? value->is_number_integer()
                                                     : value->is_number();
    if (fits) {
      into = value->get<T>();
    } else {
      wrong_ = fmt::format("field '{}' is of the wrong type", name);
    }
    return *this;
  }
  Fields& take(const char* name, Fingerprint& into) {
    std::string text;
    take(name, text);
    if (!wrong_.empty()) return *this;
    if (const auto parsed = Fingerprint::parse(text); parsed.ok()) {
      into = *parsed;
    } else {
      wrong_ = fmt::format("field '{}' is no fingerprint", name);
    }
    return *this;
  }
  const json* find(const char* name) {
    if (!wrong_.empty()) return nullptr;
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    wrong_ = fmt::format("field '{}' is missing", name);
    return nullptr;
  }
  Status status() const {
    if (!wrong_.empty()) return bad(wrong_);
    return Ok{};
  }

 private:
  const json& object_;
  std::string wrong_;
};

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

Result<json> parse_line(std::string_view line) {
  auto parsed = parse_json(line);
  if (!parsed.ok()) return bad(parsed.rejection().message());
  return parsed;
}

}  // namespace

std::string job_line(const search::Job& job, const JobSetting& setting) {
  return json_text({{"id", job.id},
                    {"key", json_of(job.key)},
                    {"candidate", job.candidate},
                    {"model", setting.model},
                    {"data", setting.data},
                    {"spaces", setting.spaces},
                    {"db", setting.db},
                    {"machine_file", setting.machine_file}});
}

Result<ReadJob> parse_job(std::string_view line) {
  CAMBIUM_TRY(const json object, parse_line(line));
  ReadJob read;
  Fields fields(object);
  const json* key = fields.find("key");
  CAMBIUM_REQUIRE(fields.take("id", read.job.id)
                      .take("candidate", read.job.candidate)
                      .take("model", read.setting.model)
                      .take("data", read.setting.data)
                      .take("spaces", read.setting.spaces)
                      .take("db", read.setting.db)
                      .take("machine_file", read.setting.machine_file)
                      .status());
  CAMBIUM_TRY(read.job.key, key_of(*key));
  return read;
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
                    {"curve", std::move(curve)},
                    {"artifacts", std::move(artifacts)}});
}

namespace {

Status read_values(const json& values, store::Evaluation& evaluation) {
  if (!values.is_object()) return bad("field 'values' is no object");
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
  if (!curve.is_array()) return bad("field 'curve' is no array");
  for (const json& point : curve) {
    if (!point.is_array() || point.size() != 4) return bad("a point of 'curve' has four numbers");
    std::array<double, 4> numbers{};
    for (std::size_t i = 0; i < 4; ++i) {
      // A loss that is not finite is null.
      if (point[i].is_number()) numbers[i] = point[i].get<double>();
    }
    evaluation.curve.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  return Ok{};
}

Status read_artifacts(const json& artifacts, std::vector<store::Artifact>& into) {
  if (!artifacts.is_array()) return bad("field 'artifacts' is no array");
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

}  // namespace

Result<search::JobResult> parse_result(std::string_view line) {
  CAMBIUM_TRY(const json object, parse_line(line));
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
  if (state != "done" && state != "refused") return bad("field 'state' is '" + state + "'");
  evaluation.state = state == "done" ? EvaluationState::Done : EvaluationState::Refused;
  const json *values = fields.find("values"), *curve = fields.find("curve"),
             *artifacts = fields.find("artifacts");
  CAMBIUM_REQUIRE(fields.status());
  CAMBIUM_REQUIRE(read_values(*values, evaluation));
  CAMBIUM_REQUIRE(read_curve(*curve, evaluation));
  CAMBIUM_REQUIRE(read_artifacts(*artifacts, result.artifacts));
  return result;
}

}  // namespace cambium::engine
