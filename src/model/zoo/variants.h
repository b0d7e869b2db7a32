// Variants of ResNet-34 for CIFAR, as NAS-PTE transforms it: both convolutions of a residual block
// are grouped, with fewer channels between them. Refuses factors that do not divide. Used by
// benchmarks of Fisher Potential.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/zoo/options.h"

namespace cambium::model::zoo {

struct BlockFactors {
  std::int64_t groups = 1;      // of both 3x3 convolutions
  std::int64_t bottleneck = 1;  // divides the channels between them

  friend auto operator<=>(const BlockFactors&, const BlockFactors&) = default;
};

using BlockVariant = std::vector<BlockFactors>;  // one per block, in order
inline constexpr std::size_t kResNet34Blocks = 16;

std::string text_of(const BlockVariant& variant);  // "1/1 4/2 ...": groups/bottleneck

// Weights have the names of resnet34-cifar, so common weights of two variants have equal names.
Result<Model> resnet34_cifar_variant(const BlockVariant& variant, const ZooOptions& options = {});

// Draws groups of {1, 2, 4, 8} and a bottleneck of {1, 2, 4} for every block. The variants are
// distinct and in lexicographic order, so neighbours share the beginning of their networks.
std::vector<BlockVariant> draw_resnet34_variants(std::size_t count, std::uint64_t seed);

}  // namespace cambium::model::zoo
