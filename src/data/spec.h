// The spec of a data set, as a user writes it: `fashion-mnist`, `cifar10:DIR`,
// `text:FILE,level=word`, `images:DIR,size=32`, `fashion-mnist,train=10000`. Refuses unknown names
// and options, and suggests the nearest known one. A path may hold colons but no commas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/vocabulary.h"

namespace cambium::data {

enum class DataName : std::uint8_t { FashionMnist, Mnist, Cifar10, Cifar100, Text, Images };

// The folder of Debian's package dataset-fashion-mnist.
inline constexpr std::string_view kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

struct DataSpec {
  DataName name = DataName::FashionMnist;
  std::string path;
  TextLevel level = TextLevel::Byte;  // text: level=byte|word
  std::size_t vocabulary = 0;         // text: vocab=N, most words kept, 0 for all
  int size = 0;                       // images: size=N, 0 leaves them as they are
  // Image sets: train=N, the number of training samples, each class by its share; 0: all.
  std::int64_t train = 0;

  std::string text() const;  // the canonical spelling, which parses to the same spec
  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

Result<DataSpec> parse_spec(std::string_view text);

}  // namespace cambium::data
