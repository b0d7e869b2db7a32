// The parts of a transformer on top of Net: attention as matmul, reshape, transpose and softmax,
// and the two-layer perceptron. Values are [batch, tokens, width].
#pragma once

#include <cstdint>
#include <string>

#include "model/zoo/net.h"

namespace cambium::model::zoo {

struct AttentionSpec {
  std::int64_t heads = 1;
  // Whether one projection gives queries, keys and values side by side, or three do.
  bool joint = true;
  std::string joint_name = "qkv", out_name = "proj";  // appended to the name of the attention
  Value mask = {};  // bool [1, 1, tokens, tokens], true where a query may look; invalid: everywhere
};

Value attention(Net& net, Value x, const std::string& name, const AttentionSpec& spec);

// A constant for AttentionSpec::mask: no token sees later tokens.
Value causal_mask(Net& net, std::int64_t tokens);

struct MlpSpec {
  std::int64_t expand = 4;
  Act act = Act::Gelu;
  std::string in_name = "fc1", out_name = "fc2";
};

Value mlp(Net& net, Value x, const std::string& name, const MlpSpec& spec);

// Standard deviation of the normal law for the matrices of transformers.
inline constexpr double kTransformerDeviation = 0.02;

}  // namespace cambium::model::zoo
