// Every network of the zoo goes out as ONNX and comes back as it was, and Python's onnx.checker
// accepts the file. Those above 30 M parameters are narrowed.
#include <algorithm>
#include <cctype>
#include <string>

#include <gtest/gtest.h>

#include "model/onnx/round_trip_testing.h"
#include "model/zoo/zoo.h"

namespace cambium::model {
namespace {

constexpr std::int64_t kMaxParameters = 30'000'000;

class ZooRoundTrip : public ::testing::TestWithParam<zoo::ZooEntry> {};

TEST_P(ZooRoundTrip, ComesBackAsItWas) {
  const zoo::ZooEntry& entry = GetParam();
  zoo::ZooOptions options;
  if (entry.published.params > kMaxParameters) options.width_divisor = 4;
  const auto model = zoo::build(entry.name, options);
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  const ScratchFolder folder;
  expect_round_trip(*model, folder / "model.onnx");
  expect_checker_accepts(folder.path());
}

std::string test_name(const ::testing::TestParamInfo<zoo::ZooEntry>& info) {
  std::string name(info.param.name);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ZooRoundTrip,
                         ::testing::ValuesIn(zoo::entries().begin(), zoo::entries().end()),
                         test_name);

}  // namespace
}  // namespace cambium::model
