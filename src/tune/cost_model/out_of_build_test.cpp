#include <gtest/gtest.h>

#include "base/features.h"
#include "tune/cost_model/xgboost_model.h"

namespace cambium::tune {
namespace {

TEST(OutOfBuild, RefusesWithoutXgboostAndOnlyThen) {
  const bool is_in = require_feature("xgboost").ok();
  const auto fresh = new_xgboost_model();
  const auto shipped = pretrained_model();
  EXPECT_EQ(fresh.ok(), is_in);
  EXPECT_EQ(shipped.ok(), is_in);
  if (!is_in) {
    EXPECT_EQ(fresh.rejection().reason(), Reason::Unavailable);
  }
}

}  // namespace
}  // namespace cambium::tune
