#include "base/features.h"

#include <set>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Features, EveryHeavyLibraryIsNamedAndOnlyThoseInHaveAVersion) {
  std::set<std::string_view> names;
  for (const Feature& feature : features()) {
    names.insert(feature.name);
    EXPECT_EQ(feature.in, !feature.version.empty()) << feature.name;
    EXPECT_FALSE(feature.purpose.empty());
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"onnx", "llvm", "torch", "xgboost", "jemalloc"}));
  EXPECT_FALSE(version().empty());
  EXPECT_FALSE(compiler().empty());
}

TEST(Features, WhatIsNotInIsRefusedWithTheOptionThatAddsIt) {
  const Feature some[] = {{"onnx", "ONNX files", "1.12", true}, {"llvm", "native code", "", false}};
  EXPECT_TRUE(require_feature("onnx", some).ok());
  const Status refused = require_feature("llvm", some);
  EXPECT_EQ(refused.rejection().reason(), Reason::Unavailable);
  EXPECT_EQ(refused.rejection().message(),
            "native code is not available: it was configured without llvm (CAMBIUM_LLVM)");
  for (const Feature& feature : features()) {
    EXPECT_EQ(require_feature(feature.name).ok(), feature.in);
  }
}

}  // namespace
}  // namespace cambium
