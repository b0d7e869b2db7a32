// For tests only: trainings of the small network on the small data set, and their refusals.
#pragma once

#include <utility>

#include <gtest/gtest.h>

#include "train/torch/small_task_testing.h"
#include "train/trainer.h"

namespace cambium::train {

class Trainer : public testing::Test {
 protected:
  static TrainOptions options() {
    TrainOptions out;
    out.recipe.epochs = 4;
    out.recipe.batch = 32;
    out.recipe.rate.peak = 0.1;
    out.recipe.rate.warmup = 0.25;
    out.recipe.rate.start = 0.1;
    return out;
  }
  data::Dataset lines(data::Access access = data::Access::Search) const {
    return data::open_dataset(lines_.spec(), {access, {}}).value();
  }
  TrainReport trained(const TrainOptions& with) const {
    auto out = train(small_network(), lines(), with);
    EXPECT_TRUE(out.ok()) << out.rejection().message();
    return std::move(out).value();
  }
  Rejection refusal(const model::Model& model, const TrainOptions& with) const {
    const auto out = train(model, lines(), with);
    EXPECT_FALSE(out.ok());
    return out.rejection();
  }

  Lines lines_;
};

}  // namespace cambium::train
