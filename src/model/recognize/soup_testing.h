// For tests of recognition: comparison of a model before and after.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/builder.h"
#include "model/cost.h"
#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "model/text.h"
#include "model/verify.h"
#include "model/zoo/soup.h"

namespace cambium::model {

using zoo::Soup;
using zoo::SoupWindow;
using zoo::Unfolding;

inline std::vector<Tensor> run_model(const Model& model, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const NodeId id : model.inputs()) {
    inputs.push_back(Tensor::lazy(model.node(id).outputs[0], {Fill::Law::Normal, 1, ++seed}));
  }
  auto outputs = execute(model, inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.rejection().message();
  return outputs.ok() ? *outputs : std::vector<Tensor>{};
}

// Recognizes, verifies, and compares outputs on the reference executor. They must be equal up to
// rounding in proportion to the largest element.
inline Recognized expect_same(const Model& model, std::uint64_t seed = 1) {
  Recognized out = recognize(model);
  const Status sound = verify(out.model);
  EXPECT_TRUE(sound.ok()) << sound.rejection().message();
  const std::vector<Tensor> before = run_model(model, seed), after = run_model(out.model, seed);
  EXPECT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    EXPECT_EQ(before[i].type(), after[i].type());
    EXPECT_EQ(model.outputs()[i].name, out.model.outputs()[i].name);
    const std::vector<double> a = before[i].to_doubles(), b = after[i].to_doubles();
    double largest = 1;
    for (const double value : a) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    for (std::size_t j = 0; j < a.size() && j < b.size(); ++j) {
      if (a[j] == b[j] || (std::isnan(a[j]) && std::isnan(b[j]))) continue;
      EXPECT_NEAR(a[j], b[j], 1e-5 * largest) << "element " << j << "\n"
                                              << to_text(out.model, {true});
      if (std::fabs(a[j] - b[j]) > 1e-5 * largest) break;
    }
  }
  return out;
}

// How often each kind of operator occurs, without inputs, reshapes and nodes that depend only on
// weights.
inline std::map<std::string, int> kinds(const Model& model) {
  std::map<std::string, int> out;
  std::set<NodeId> constant;
  for (const NodePtr& node : model.nodes()) {
    const bool of_weights = std::all_of(node->inputs.begin(), node->inputs.end(), [&](Value input) {
      return constant.count(input.node) != 0;
    });
    if (node->as<Input>() == nullptr && of_weights) {
      constant.insert(node->id);
    } else if (node->as<Input>() == nullptr && node->as<Reshape>() == nullptr) {
      ++out[std::string(kind_of(node->op))];
    }
  }
  return out;
}

// Bytes of the largest activation.
inline std::int64_t largest_activation(const Model& model) {
  std::int64_t largest = 0;
  for (const NodeCost& node : cost_of(model).nodes) {
    largest = std::max(largest, node.activation_bytes);
  }
  return largest;
}

inline void show(const std::string& name, const Model& before, const Recognized& after) {
  const Cost a = cost_of(before), b = cost_of(after.model);
  std::string found;
  for (const std::string& line : after.found) found += " | " + line;
  std::printf("%s: MACs %lld -> %lld, activation bytes %lld -> %lld%s\n", name.c_str(),
              static_cast<long long>(a.macs), static_cast<long long>(b.macs),
              static_cast<long long>(a.activation_bytes),
              static_cast<long long>(b.activation_bytes), found.c_str());
}

}  // namespace cambium::model
