#include "store/tuning_lines.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"

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

// Reads the members of an object; the first that is missing or of another kind is remembered.
class Members {
 public:
  Members(const json& object, std::string& error) : object_(object), error_(error) {
    if (!object.is_object()) fail("not an object");
  }

  std::string text(const char* key) {
    const json* member = find(key);
    if (member == nullptr || !member->is_string()) return fail(key, "a text"), std::string();
    return member->get<std::string>();
  }
  Fingerprint fingerprint(const char* key) {
    const auto parsed = Fingerprint::parse(text(key));
    if (!parsed.ok()) return fail(key, "a fingerprint"), Fingerprint();
    return *parsed;
  }
  std::int64_t integer(const char* key, std::int64_t low = 0,
                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
    const json* member = find(key);
    const bool fits = member != nullptr && member->is_number_integer() &&
                      (!member->is_number_unsigned() || member->get<std::uint64_t>() <= INT64_MAX);
    const std::int64_t value = fits ? member->get<std::int64_t>() : low;
    if (!fits || value < low || value > high) return fail(key, "a number in its range"), low;
    return value;
  }
  std::uint64_t seed(const char* key) {
    const json* member = find(key);
    if (member == nullptr || !member->is_number_unsigned()) return fail(key, "a seed"), 0;
    return member->get<std::uint64_t>();
  }
  double real(const char* key) {
    const json* member = find(key);
    const double value = member != nullptr && member->is_number() ? member->get<double>() : -1;
    if (!std::isfinite(value) || value < 0) return fail(key, "a number from 0 on"), 0;
    return value;
  }
  json array(const char* key) {
    const json* member = find(key);
    if (member == nullptr || !member->is_array()) return fail(key, "a list"), json::array();
    return *member;
  }
  void fail(const std::string& what) {
    if (error_.empty()) error_ = what;
  }

 private:
  void fail(const char* key, const char* wanted) {
    fail("'" + std::string(key) + "' is missing or not " + wanted);
  }
  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  const json& object_;
  std::string& error_;
};

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
  if (protocol != "rank" && protocol != "compare") m.fail("'" + protocol + "' is no protocol");
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
    // What is not finite has no number in JSON and travels as null.
    const bool is_number = value.is_number();
    if (!is_number && !value.is_null()) m.fail("'features' holds something that is no number");
    trial.features.push_back(is_number ? value.get<float>()
                                       : std::numeric_limits<float>::quiet_NaN());
  }
  trial.rows = m.integer("rows");
  if (trial.rows == 0 ? !trial.features.empty()
                      : trial.features.size() % static_cast<std::size_t>(trial.rows) != 0) {
    m.fail("'features' are no whole rows");
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
  const auto bad = [number](const std::string& what) {
    return Rejection(Reason::BadRecord, what, {}, number);
  };
  const auto parsed = parse_json(line);
  if (!parsed.ok()) return bad(parsed.rejection().message());
  std::string error;
  Members head(*parsed, error);
  if (head.text("document") != kDocument || !error.empty()) return bad("not a tuning record");
  const std::int64_t version = head.integer("version", 1);
  if (!error.empty()) return bad(error);
  if (version > kVersion) {
    return bad("version " + std::to_string(version) + "; this program reads up to " +
               std::to_string(kVersion));
  }
  TuningRecord record;
  if (parsed->contains("program")) {
    record = program_of(parsed->at("program"), error);
  } else if (parsed->contains("machine")) {
    record = machine_of(parsed->at("machine"), error);
  } else if (parsed->contains("trial")) {
    record = trial_of(parsed->at("trial"), error);
  } else {
    return bad("neither a program nor a machine nor a trial");
  }
  if (!error.empty()) return bad(error);
  return record;
}

}  // namespace cambium::store
