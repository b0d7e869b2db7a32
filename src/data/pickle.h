// Reads the pickles in which CIFAR is published (protocols 0 to 3): dictionaries, lists, texts,
// numbers and numpy arrays of bytes. It builds plain data and calls nothing. It refuses opcodes and
// globals that those files do not use, with their place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/bytes.h"

namespace cambium::data {

struct PickleNode {
  enum class Kind : std::uint8_t { None, Bool, Int, Text, List, Tuple, Dict, Global, Dtype, Array };

  Kind kind = Kind::None;
  std::int64_t number = 0;          // Bool, Int
  std::string_view text;            // Text, Global ("module name"), Array (its bytes)
  std::vector<std::int32_t> items;  // List, Tuple; Dict as key, value, key, value
  std::vector<std::int64_t> dims;   // Array of unsigned bytes, in C order
};

// The content of a pickle. Nodes refer to each other by number, so a hostile file that refers to
// itself makes a cycle of numbers, which neither leaks nor recurses. Views the parsed bytes, which
// must outlive it.
class Pickle {
 public:
  // Refuses BadPickle with the byte where it stopped.
  static Result<Pickle> parse(Bytes bytes);

  const PickleNode& root() const { return node(root_); }
  const PickleNode& node(std::int32_t id) const { return nodes_[static_cast<std::size_t>(id)]; }

  // A field of the dictionary at the root, in the form that its reader needs. Refuses MissingField.
  Result<std::vector<std::int64_t>> integers(std::string_view field) const;
  Result<std::vector<std::string>> texts(std::string_view field) const;
  Result<const PickleNode*> array(std::string_view field) const;

 private:
  friend class PickleMachine;
  const PickleNode* find(std::string_view field) const;

  std::vector<PickleNode> nodes_;
  std::vector<std::shared_ptr<const std::string>> owned_;  // texts that had to be decoded
  std::int32_t root_ = 0;
};

}  // namespace cambium::data
