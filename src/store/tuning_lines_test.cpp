#include "store/tuning_lines.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <schema.h>  // of tests/cli

#include "base/file.h"
#include "base/json.h"
#include "store/store_testing.h"

namespace cambium::store {
namespace {

TEST(TuningLines, FitTheirSchemaAndComeBackEqual) {
  const auto schema =
      parse_json(read_file(CAMBIUM_SOURCE_DIR "/docs/schema/tuning_record.json").value());
  ASSERT_TRUE(schema.ok()) << schema.rejection().message();
  const Fingerprint f = fingerprint_of("f");
  Trial compared = trial_number(3);
  compared.samples.push_back({Protocol::Compare, 1.0 / 3, 0.1, 7, 1e-300});
  for (const TuningRecord& record :
       {TuningRecord(TunedProgram{f, "conv \"1\"", "program kernel(\n  ...\n"}),
        TuningRecord(TunedMachine{f, "{\"name\": \"host\"}"}),
        TuningRecord(KeyedTrial{key_number(0), compared}),
        TuningRecord(KeyedTrial{key_number(1), refused_trial(4)})}) {
    const std::string line = to_line(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(tests::misfit(*parse_json(line), *schema), "") << line;
    const auto again = parse_line(line, 1);
    ASSERT_TRUE(again.ok()) << again.rejection().message();
    EXPECT_EQ(to_line(*again), line);
    ASSERT_EQ(again->index(), record.index());
    if (const auto* trial = std::get_if<KeyedTrial>(&record)) {
      EXPECT_EQ(std::get<KeyedTrial>(*again).key, trial->key);
      EXPECT_EQ(std::get<KeyedTrial>(*again).trial, trial->trial);
    }
  }
}

TEST(TuningLines, CarryFeaturesThatAreNotFinite) {
  Trial trial = trial_number(1);
  trial.features[2] = std::nanf("");
  const auto again = parse_line(to_line(KeyedTrial{key_number(0), trial}), 1);
  ASSERT_TRUE(again.ok()) << again.rejection().message();
  EXPECT_TRUE(std::isnan(std::get<KeyedTrial>(*again).trial.features[2]));
}

TEST(TuningLines, RefuseWhatIsNoRecordWithItsNumber) {
  const nlohmann::json good = *parse_json(to_line(KeyedTrial{key_number(0), trial_number(1)}));
  std::vector<nlohmann::json> bad = {nlohmann::json(3), nlohmann::json::object()};
  const auto change = [&](const std::string& pointer, const nlohmann::json& value) {
    bad.push_back(good);
    bad.back()[nlohmann::json::json_pointer(pointer)] = value;
  };
  change("/document", "cambium.machine");
  change("/version", 2);
  change("/version", "1");
  change("/trial", 3);
  change("/trial/program", "xyz");
  change("/trial/machine", nullptr);
  change("/trial/threads", 0);
  change("/trial/threads", 1.5);
  change("/trial/seed", -1);
  change("/trial/number", 1e300);
  change("/trial/number", UINT64_MAX);
  change("/trial/samples", "none");
  change("/trial/samples/0", 7);
  change("/trial/samples/0/protocol", "guess");
  change("/trial/samples/0/seconds", -1);
  change("/trial/samples/0/seconds", nullptr);
  change("/trial/features/1", "x");
  change("/trial/rows", 3);
  change("/trial/rows", 0);
  for (const auto& member : good["trial"].items()) {
    bad.push_back(good);
    bad.back()["trial"].erase(member.key());
  }
  bad.push_back(good);
  bad.back().erase("trial");
  for (const nlohmann::json& line : bad) {
    const auto record = parse_line(json_text(line), 17);
    ASSERT_FALSE(record.ok()) << line;
    EXPECT_EQ(record.rejection().reason(), Reason::BadRecord);
    EXPECT_EQ(record.rejection().message().rfind("line 17: ", 0), 0U)
        << record.rejection().message();
  }
  EXPECT_FALSE(parse_line("{\"document\": ", 1).ok());
}

}  // namespace
}  // namespace cambium::store
