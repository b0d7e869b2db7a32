// The network that the toy spaces edit: a chain of blocks `b0`, `b1` and so on, and a product
// `head` behind them. Each block is a product `b0.fc` of 8 by 8 and an activation `b0.act`.
#pragma once

#include "model/model.h"

namespace cambium::spaces::testing {

inline constexpr std::int64_t kToyWidth = 8;

model::Model toy_net(int blocks = 3);

}  // namespace cambium::spaces::testing
