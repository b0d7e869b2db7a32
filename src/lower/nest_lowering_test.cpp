// How Composites of the loop-nest space pass through lowering.
#include <gtest/gtest.h>

#include "lower/groups.h"
#include "lower/lower.h"
#include "lower/nest_form.h"
#include "lower/passes.h"
#include "model/builder.h"
#include "model/composite.h"
#include "program/walk.h"

namespace cambium::lower {
namespace {

using namespace model;

constexpr const char* kHalved = "bottleneck(loop: co, factor: 2, accept: true)\n";

// A convolution from 4 to 8 channels of which 4 are left, with everything that may follow it.
struct Rewritten {
  explicit Rewritten(const std::string& space = "loopnest", bool constant_weight = true) {
    model::Builder inner("body");
    const Value in = inner.input("x", {DType::F32, {1, 4, 6, 6}});
    const Value filter = inner.input("w", {DType::F32, {4, 4, 3, 3}});
    inner.output("y", inner.add(conv(), {in, filter}));
    NestForm form{conv(), {8, 4, 3, 3}, kHalved};
    const Composite op =
        composite_of(space, to_text(form), std::move(inner).finish().value()).value();
    model::Builder b("m");
    const auto weight = [&](const char* name, const Ints& dims) {
      return b.weight(name, Tensor::lazy({DType::F32, dims}, {Fill::Law::Uniform, 0.5, 1}));
    };
    const Value x = b.input("x", {DType::F32, {1, 4, 6, 6}});
    const Value w =
        constant_weight ? weight("w", {4, 4, 3, 3}) : b.input("w", {DType::F32, {4, 4, 3, 3}});
    Value y = b.add(op, {x, w}, "site");
    site = y.node;
    y = b.add(Binary{BinaryFn::Add}, {y, weight("bias", {4, 1, 1})}, "biased");
    y = b.add(BatchNorm{},
              {y, weight("scale", {4}), weight("shift", {4}), weight("mean", {4}),
               weight("variance", {4})},
              "norm");
    y = b.add(Unary{UnaryFn::Relu}, {y}, "relu");
    y = b.add(Binary{BinaryFn::Add}, {y, x}, "sum");
    b.output("y", y);
    model = std::move(b).finish().value();
  }
  static Conv conv() { return {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}; }
  static bool has_composite(const Model& model) {
    for (const NodePtr& node : model.nodes()) {
      if (node->as<Composite>() != nullptr) return true;
    }
    return false;
  }

  Model model;
  NodeId site;
};

TEST(NestLowering, PassesKeepOnlyNestsWithConstantWeights) {
  EXPECT_TRUE(Rewritten::has_composite(prepare(Rewritten().model).value()));
  EXPECT_FALSE(Rewritten::has_composite(prepare(Rewritten("coordinate").model).value()));
  EXPECT_FALSE(Rewritten::has_composite(prepare(Rewritten("loopnest", false).model).value()));
}

TEST(NestLowering, ANestIsOneGroupWithWhatFollows) {
  const Rewritten r;
  const std::vector<FusionGroup> groups = groups_of(prepare(r.model).value());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, r.site);
  EXPECT_EQ(groups[0].nodes.size(), 5u);
}

TEST(NestLowering, TheProgramHoldsTheOriginalConvolution) {
  const Rewritten r;
  const Model model = prepare(r.model).value();
  program::Context cx;
  Layouts layouts;
  layouts.set({r.site, 0}, channels_last(4));
  const auto lowered = lower(cx, model, groups_of(model)[0].nodes, layouts);
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  ASSERT_TRUE(lowered->nest.has_value());
  EXPECT_EQ(lowered->nest->recipe, kHalved);
  ASSERT_EQ(lowered->nest->weights.size(), 1u);
  EXPECT_EQ(model.node(lowered->nest->weights[0].node).name, "w");

  const program::Program& program = lowered->program;
  const program::Buffer* const filter = program::find_buffer(program, lowered->nest->filter);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(std::vector<std::int64_t>(filter->dims.begin(), filter->dims.end()),
            (std::vector<std::int64_t>{8, 4, 3, 3}));
  const program::Block* const sum = program::find_block(program, lowered->nest->block);
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->body->combine, program::Combine::Sum);
  const auto& sums = sum->body->target->dims;
  EXPECT_EQ(std::vector<std::int64_t>(sums.begin(), sums.end()),
            (std::vector<std::int64_t>{1, 6, 6, 8}));
  std::size_t unknown = 0;
  for (const Value value : lowered->arguments) unknown += value.valid() ? 0 : 1;
  EXPECT_EQ(unknown, 1u) << "nobody has the original filter";
  // What follows has the width that the recipe leaves.
  const program::Buffer* const y = program.parameters.back();
  EXPECT_EQ(std::vector<std::int64_t>(y->dims.begin(), y->dims.end()),
            (std::vector<std::int64_t>{1, 4, 6, 6}));
}

TEST(NestLowering, RefusesTwoNestsInOneProgram) {
  const Rewritten r;
  model::Builder b(r.model);
  const Node& site = r.model.node(r.site);
  b.output("z", b.add(site.op, std::vector<Value>(site.inputs), "again"));
  const Model twice = std::move(b).finish().value();
  std::vector<NodeId> all;
  for (const NodePtr& node : twice.nodes()) all.push_back(node->id);
  program::Context cx;
  const auto lowered = lower(cx, twice, all);
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.rejection().reason(), Reason::NotLowered);
}

}  // namespace
}  // namespace cambium::lower
