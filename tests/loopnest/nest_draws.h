// What the randomized tests of rewritten loop nests draw from: convolutions with the shapes of
// ResNet-34, ResNeXt-29 (2x64d) and DenseNet-161, of fewer channels and places so that an
// interpreter takes milliseconds, and documents for them: walks of one to four moves, the paper's
// sequences, names of the catalogue. The same number gives the same case.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/tensor.h"
#include "spaces/loopnest/sites.h"
#include "spaces/loopnest/variants.h"

namespace cambium::tests {

namespace loopnest = spaces::loopnest;

// Each once, in the order of the networks.
std::vector<loopnest::Shape> small_shapes();

struct NestCase {
  loopnest::Shape shape;
  std::shared_ptr<loopnest::Variants> variants;
  const loopnest::Variant* variant = nullptr;  // not the original

  std::string text() const;  // for messages
};

class NestDraws {
 public:
  NestDraws() : shapes_(small_shapes()) {}
  NestCase draw(std::uint64_t number);

 private:
  std::vector<loopnest::Shape> shapes_;
  // Of one shape after the other; made anew after some cases, since they keep what they made.
  std::shared_ptr<loopnest::Variants> variants_;
  std::uint64_t batch_ = ~std::uint64_t{0};
};

// Small whole numbers, so that every order of adding gives the same.
model::Tensor whole_tensor(const model::Ints& dims, std::uint64_t seed);

// What follows the nest in a network.
enum class Behind : std::uint8_t { Nothing, Relu, NormAndRelu };
// x, the nest with these weights as the space puts it, and what follows. The site is `site`.
model::Model network_of(const NestCase& c, const std::vector<model::Tensor>& weights,
                        Behind behind = Behind::Nothing);
// The dimensions of the nest's weights.
std::vector<model::Ints> weights_of(const NestCase& c);

// How many cases CAMBIUM_NEST_DOCUMENTS (or another variable) asks for, or so many.
std::uint64_t cases_asked(const char* variable, std::uint64_t usual);

}  // namespace cambium::tests
