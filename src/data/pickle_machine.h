// The stack machine of Pickle::parse: one method per group of opcodes. Every read is checked
// against the bytes that are left, and the number of nodes is bounded whatever the file says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "data/bytes.h"
#include "data/pickle.h"

namespace cambium::data {

class PickleMachine {
 public:
  explicit PickleMachine(Bytes bytes) : bytes_(bytes) {}

  Result<Pickle> run();

 private:
  using Kind = PickleNode::Kind;
  using Id = std::int32_t;

  // Each handler executes its opcode, or sets problem_ to the reason why not. handle_* return
  // whether the opcode belongs to their group.
  bool handle_scalar(std::uint8_t op);
  bool handle_text(std::uint8_t op);
  bool handle_container(std::uint8_t op);
  bool handle_memo(std::uint8_t op);
  bool handle_object(std::uint8_t op);

  void reduce();
  void build();
  void build_array(PickleNode& array, const PickleNode& state);
  void put(std::uint64_t key);
  void get(std::uint64_t key);
  void append_since_mark(Kind kind);
  void collect(Kind kind, std::size_t count);

  bool fail(std::string problem);
  std::uint64_t little_endian(int width);
  std::string_view take(std::uint64_t count);
  std::string_view line();
  std::optional<std::int64_t> decimal(std::string_view digits);
  std::string_view keep(std::string text);
  std::string_view unquote(std::string_view quoted);
  std::string_view latin1_of_utf8(std::string_view utf8);

  void push(PickleNode node);
  void push_of(Kind kind) { push_number(kind, 0); }
  void push_number(Kind kind, std::int64_t number);
  void push_text(std::string_view text);
  Id pop();
  std::vector<Id> pop_to_mark();
  PickleNode& node(Id id) { return pickle_.nodes_[static_cast<std::size_t>(id)]; }

  Bytes bytes_;
  std::size_t at_ = 0;
  std::string problem_;
  std::size_t kept_bytes_ = 0;
  Pickle pickle_;
  std::vector<Id> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Id> memo_;
};

}  // namespace cambium::data
