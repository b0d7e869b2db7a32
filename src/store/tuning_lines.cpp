#include "store/tuning_lines.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "store/members.h"

namespace cambium::store {
namespace {

using nlohmann::json;

constexpr const char* kDocument = "cambium.tuning_record";
constexpr int kVersion = 1;

std::string_view name_of(Protocol protocol) {
  return protocol == Protocol::Rank ? "rank" : "compare";
}

json json_of(const TunedProgram& program) {
  return {
      {"fingerprint", program.fingerprint.text()}, {"name", program.name}, {"text", program.text}};
}

json json_of(const TunedMachine& machine) {
  return {{"fingerprint", machine.fingerprint.text()}, {"description", machine.description}};
}

json json_of(const KeyedTrial& record) {
  const Trial& trial = record.trial;
  json samples = json::array();
  for (const TuningSample& s : trial.samples) {
    samples.push_back({{"protocol", name_of(s.protocol)},
                       {"seconds", s.seconds},
                       {"spread", s.spread},
                       {"samples", s.samples},
                       {"error", s.error}});
  }
  return {{"program", record.key.program.text()},
          {"machine", record.key.machine.text()},
          {"threads", record.key.threads},
          {"codegen", record.key.codegen},
          {"scheduled", trial.scheduled.text()},
          {"trace", trial.trace},
          {"strategy", trial.strategy},
          {"seed", trial.seed},
          {"number", trial.number},
          {"samples", samples},
          {"reason", trial.reason},
          {"detail", trial.detail},
          {"features", trial.features},
          {"rows", trial.rows}};
}

TunedProgram program_of(const json& object, std::string& error) {
  Members m(object, error);
  return {m.fingerprint("fingerprint"), m.text("name"), m.text("text")};
}

TunedMachine machine_of(const json& object, std::string& error) {
  Members m(object, error);
  return {m.fingerprint("fingerprint"), m.text("description")};
}

TuningSample sample_of(const json& object, std::string& error) {
  Members m(object, error);
  TuningSample sample;
  const std::string protocol = m.text("protocol");
  if (protocol != "rank" && protocol != "compare") m.fail("unknown protocol '" + protocol + "'");
  sample.protocol = protocol == "rank" ? Protocol::Rank : Protocol::Compare;
  sample.seconds = m.real("seconds");
  sample.spread = m.real("spread");
  sample.samples = static_cast<int>(m.integer("samples", 0, INT32_MAX));
  sample.error = m.real("error");
  return sample;
}

KeyedTrial trial_of(const json& object, std::string& error) {
  Members m(object, error);
  KeyedTrial record;
  record.key = {m.fingerprint("program"), m.fingerprint("machine"),
                static_cast<int>(m.integer("threads", 1, INT32_MAX)), m.text("codegen")};
  Trial& trial = record.trial;
  trial.scheduled = m.fingerprint("scheduled");
  trial.trace = m.text("trace");
  trial.strategy = m.text("strategy");
  trial.seed = m.seed("seed");
  trial.number = m.integer("number");
  for (const json& sample : m.array("samples")) trial.samples.push_back(sample_of(sample, error));
  trial.reason = m.text("reason");
  trial.detail = m.text("detail");
  for (const json& value : m.array("features")) {
    // JSON has no numbers that are not finite: they are written as null.
    const bool is_number = value.is_number();
    if (!is_number && !value.is_null()) m.fail("'features' may hold only numbers");
    trial.features.push_back(is_number ? value.get<float>()
                                       : std::numeric_limits<float>::quiet_NaN());
  }
  trial.rows = m.integer("rows");
  if (trial.rows == 0 ? !trial.features.empty()
                      : trial.features.size() % static_cast<std::size_t>(trial.rows) != 0) {
    m.fail("'features' must be complete rows");
  }
  return record;
}

}  // namespace

std::string to_line(const TuningRecord& record) {
  static constexpr const char* kKinds[] = {"program", "machine", "trial"};
  json line = {{"document", kDocument}, {"version", kVersion}};
  line[kKinds[record.index()]] = std::visit([](const auto& r) { return json_of(r); }, record);
  return json_text(line);
}

Result<TuningRecord> parse_line(std::string_view line, std::int64_t number) {
  CAMBIUM_TRY(const json parsed, parse_record(line, number, kDocument, kVersion));
  std::string error;
  TuningRecord record;
  if (parsed.contains("program")) {
    record = program_of(parsed.at("program"), error);
  } else if (parsed.contains("machine")) {
    record = machine_of(parsed.at("machine"), error);
  } else if (parsed.contains("trial")) {
    record = trial_of(parsed.at("trial"), error);
  } else {
    error = "unknown record; expected a program, a machine or a trial";
  }
  if (!error.empty()) return Rejection(Reason::BadRecord, error, {}, number);
  return record;
}

}  // namespace cambium::store
