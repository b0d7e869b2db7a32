#include "engine/programs.h"

#include <gtest/gtest.h>

#include "compile/group_testing.h"
#include "model/builder.h"

namespace cambium::engine {
namespace {

using model::Value;

// Two equal layers and one that differs.
model::Model layers() {
  model::Builder b("layers");
  Value at = b.input("x", {DType::F32, {5, 16}});
  for (int i = 0; i < 3; ++i) {
    const std::int64_t width = i < 2 ? 16 : 10;
    const Value weight = b.weight(
        "", model::Tensor::lazy({DType::F32, {16, width}},
                                {model::Fill::Law::Normal, 1, static_cast<std::uint64_t>(i)}));
    at = b.add(model::MatMul{}, {at, weight}, "layer" + std::to_string(i));
    at = b.add(model::Unary{model::UnaryFn::Relu}, {at}, "relu" + std::to_string(i));
  }
  b.output("y", at);
  return std::move(b).finish().value();
}

TEST(Programs, GroupsWithEqualProgramsShareAKernel) {
  const auto rows = inspect_programs(layers(), {});
  ASSERT_TRUE(rows.ok()) << rows.rejection().message();
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ((*rows)[1].nodes, (std::vector<std::string>{"layer1", "relu1"}));
  EXPECT_EQ((*rows)[0].kernel, (*rows)[1].kernel);
  EXPECT_NE((*rows)[0].kernel, (*rows)[2].kernel);
}

TEST(Programs, CountWhatTheyCompute) {
  const GroupRow row = inspect_programs(layers(), {}).value()[0];
  EXPECT_EQ(row.macs, 5 * 16 * 16);
  EXPECT_EQ(row.operations, 2 * 5 * 16 * 16 + 5 * 16);  // products and sums, then maxima
  EXPECT_EQ(row.bytes, 4 * (5 * 16 + 16 * 16 + 5 * 16));
}

TEST(Programs, AreFoundByNodeAndByNumber) {
  ProgramOptions options;
  for (const char* which : {"layer2", "relu2", "2"}) {
    options.which = which;
    const auto rows = inspect_programs(layers(), options);
    ASSERT_TRUE(rows.ok()) << rows.rejection().message();
    ASSERT_EQ(rows->size(), 1u);
    EXPECT_EQ((*rows)[0].number, 2);
    EXPECT_EQ((*rows)[0].texts[0].first, "program");
  }
  options.which = "layer9";
  EXPECT_EQ(inspect_programs(layers(), options).rejection().message(),
            "--program 'layer9': did you mean 'layer0'?");
  options.which = "3";
  EXPECT_EQ(inspect_programs(layers(), options).rejection().reason(), Reason::BadOption);
}

TEST(Programs, ShowOnlyWhatIsAskedForInTheOrderOfItsMaking) {
  ProgramOptions options;
  options.which = "0";
  options.trace = options.scheduled = true;
  const auto rows = inspect_programs(layers(), options);
  ASSERT_TRUE(rows.ok()) << rows.rejection().message();
  ASSERT_EQ((*rows)[0].texts.size(), 2u);
  EXPECT_EQ((*rows)[0].texts[0].first, "trace");
  EXPECT_EQ((*rows)[0].texts[1].first, "scheduled");
}

TEST(Programs, OfARewrittenNestBeginAtTheOriginalConvolution) {
  const compile::NestCase group = compile::nest_cases()[0];
  ProgramOptions options;
  options.which = "site";
  const auto lowered =
      inspect_programs(compile::nest_model(group, compile::NestTail::Relu), options);
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  EXPECT_EQ((*lowered)[0].nodes.size(), 2u);
  EXPECT_NE((*lowered)[0].texts[0].second.find("f32[8, 2, 3, 3] constant"), std::string::npos)
      << (*lowered)[0].texts[0].second;
  options.trace = true;
  const auto rows = inspect_programs(compile::nest_model(group, compile::NestTail::Relu), options);
  ASSERT_TRUE(rows.ok()) << rows.rejection().message();
  const std::string trace = (*rows)[0].texts[0].second;
  EXPECT_EQ(trace.rfind("normalize(block: site)", 0), 0u) << trace;
  EXPECT_LT(trace.find("group(outer: co, inner: ci, factor: 4"), trace.find("canonical_names()"));
}

TEST(Programs, RefuseMachinesAndPassesThatAreNotThere) {
  EXPECT_EQ(inspect_programs(layers(), {"pdp11", {}, "", false, false, false, false})
                .rejection()
                .reason(),
            Reason::UnknownMachine);
  EXPECT_EQ(inspect_programs(layers(), {"host", {"x"}, "", false, false, false, false})
                .rejection()
                .reason(),
            Reason::UnknownPass);
}

}  // namespace
}  // namespace cambium::engine
