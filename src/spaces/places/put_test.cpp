#include "spaces/places/put.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/verify.h"
#include "model/zoo/zoo.h"

namespace cambium::spaces {
namespace {

using model::Value;

const model::Node* node_named(const model::Model& model, std::string_view name) {
  const auto found = std::find_if(model.nodes().begin(), model.nodes().end(),
                                  [&](const model::NodePtr& node) { return node->name == name; });
  return found == model.nodes().end() ? nullptr : found->get();
}

// Scales channels by one weight each, after a convolution with so many weights in all.
Standing scaled(const model::Model& model, const Place& place, int weights) {
  model::TensorType type = model.type(place.output);
  model::Builder body("scaled");
  Value y = body.input("x", type);
  for (int w = 0; w < weights; ++w) {
    const Value factor =
        body.input("w" + std::to_string(w + 1), {DType::F32, {type.dims[1], 1, 1}});
    y = body.add(model::Binary{model::BinaryFn::Mul}, {y, factor});
  }
  body.output("y", y);
  return {model::composite_of("toy", "a document", std::move(body).finish().value()).value(),
          std::vector<model::Fill>(static_cast<std::size_t>(weights),
                                   {model::Fill::Law::Uniform, 0.5})};
}

struct Net {
  // Of as many channels before as behind, one of them strided; the last one has a bias.
  Net() : model(build()) {
    const auto targets = model::select(model, "conv:*").value();
    for (const model::Target& target : targets) {
      for (const model::Site& site : target.sites) {
        places.push_back(std::get<Place>(place_of(model, target, site)));
      }
    }
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.output < b.output; });
  }
  static model::Model build() {
    model::Builder b("net");
    const auto weight = [&](const char* name, model::Ints dims) {
      return b.weight(name, model::Tensor::lazy({DType::F32, std::move(dims)},
                                                {model::Fill::Law::Normal, 0.1, 3}));
    };
    const Value x = b.input("x", {DType::F32, {2, 8, 9, 9}});
    const Value first = b.add(model::Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1},
                              {x, weight("first.weight", {8, 8, 3, 3})}, "first");
    b.output("y",
             b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1},
                   {first, weight("second.weight", {8, 8, 3, 3}), weight("bias", {8})}, "second"));
    return std::move(b).finish().value();
  }

  model::Model with(int weights) const {
    std::vector<Standing> made;
    for (const Place& place : places) made.push_back(scaled(model, place, weights));
    return put(model, places, {&made[0], &made[1]}).value();
  }

  model::Model model;
  std::vector<Place> places;
};

TEST(Put, AveragesWhereTheOriginalStridesAndKeepsTheBias) {
  const Net net;
  const model::Model made = net.with(2);
  EXPECT_TRUE(model::verify(made).ok());
  EXPECT_EQ(node_named(made, "first.pool")->outputs[0].dims, (model::Ints{2, 8, 5, 5}));
  EXPECT_EQ(node_named(made, "second.pool"), nullptr);
  // The second reads what stands in the first place.
  EXPECT_EQ(node_named(made, "second.toy")->inputs[0].node, node_named(made, "first.toy")->id);
  EXPECT_EQ(made.outputs()[0].value.node, node_named(made, "second.biased")->id);
  EXPECT_EQ(node_named(made, "first.weight"), nullptr);
}

TEST(Put, DrawsWeightsByTheirNames) {
  const Net net;
  const model::Model two = net.with(2);
  const auto fill = [](const model::Model& model, const char* name) {
    return *node_named(model, name)->as<model::Weight>()->value.fill();
  };
  EXPECT_EQ(fill(two, "first.w1").law, model::Fill::Law::Uniform);
  EXPECT_EQ(fill(two, "first.w1").scale, 0.5);
  EXPECT_NE(fill(two, "first.w1").seed, fill(two, "first.w2").seed);
  // One weight in the place of one is that one, with other elements.
  const model::Model one = net.with(1);
  EXPECT_EQ(node_named(one, "first.w1"), nullptr);
  EXPECT_EQ(node_named(one, "first.weight")->id, node_named(net.model, "first.weight")->id);
  EXPECT_EQ(fill(one, "first.weight").scale, 0.5);
}

}  // namespace
}  // namespace cambium::spaces
