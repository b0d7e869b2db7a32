#include <optional>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "model/builder.h"
#include "model/text.h"
#include "model/text_values.h"

namespace cambium::model {

namespace {

template <class T>
Status read_into(TextCursor& cursor, T& out) {
  if constexpr (std::is_enum_v<T>) {
    const std::size_t place = cursor.place();
    std::optional<T> value;
    if constexpr (std::is_same_v<T, DType>) {
      value = dtype_named(cursor.word());
    } else {
      value = enumerator_named<T>(cursor.word());
    }
    if (!value) return cursor.refuse_at(place, "a valid name for this attribute");
    out = *value;
  } else if constexpr (std::is_same_v<T, std::string>) {
    CAMBIUM_TRY(out, cursor.text());
  } else if constexpr (std::is_same_v<T, std::shared_ptr<const Model>>) {
    CAMBIUM_TRY(const std::string text, cursor.text());
    CAMBIUM_TRY(Model body, parse_text(text).at("body"));
    out = std::make_shared<const Model>(std::move(body));
  } else if constexpr (std::is_arithmetic_v<T>) {
    CAMBIUM_TRY(out, read_number<T>(cursor));
  } else {
    return read_list(cursor, "[", "]", [&]() -> Status {
      CAMBIUM_TRY(auto value, read_number<typename T::value_type>(cursor));
      out.push_back(value);
      return Ok{};
    });
  }
  return Ok{};
}

// Reads the attributes in the order of the operator's `fields`; the first refusal stands.
struct FieldReader {
  TextCursor& cursor;
  Status status = Ok{};
  bool opened = false;

  template <class T>
  void operator()(std::string_view name, T& out) {
    if (!status.ok() || name == "fn") return;
    status = read(name, out);
  }

  template <class T>
  Status read(std::string_view name, T& out) {
    CAMBIUM_REQUIRE(cursor.expect(opened ? "," : "{"));
    opened = true;
    CAMBIUM_REQUIRE(cursor.expect_word(name));
    CAMBIUM_REQUIRE(cursor.expect("="));
    return read_into(cursor, out);
  }
};

// Sets the function of a family by its name; `found` stays false for an operator without one.
struct FunctionSetter {
  std::string_view function;
  bool wanted = false, found = false;

  template <class T>
  void operator()(std::string_view name, T& out) {
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>) {
      if (name != "fn") return;
      wanted = true;
      if (const auto value = enumerator_named<T>(function)) {
        out = *value;
        found = true;
      }
    }
  }
};

template <class T>
void set_if_named(std::string_view kind, std::string_view name, std::optional<Op>& op) {
  if constexpr (!std::is_same_v<T, Input> && !std::is_same_v<T, Weight>) {
    if (kind == name) op = T{};
  }
}

// `conv` or `unary.relu`, with default attributes; nothing for the leaves.
std::optional<Op> op_named(std::string_view word) {
  const std::size_t dot = word.find('.');
  const std::string_view kind = word.substr(0, dot);
  std::optional<Op> op;
#define CAMBIUM_X(type, name, fewest, most, outputs) set_if_named<type>(kind, name, op);
  CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X
  if (!op) return std::nullopt;
  FunctionSetter setter{dot == std::string_view::npos ? "" : word.substr(dot + 1)};
  std::visit([&](auto& x) { std::decay_t<decltype(x)>::fields(x, setter); }, *op);
  const bool plain = !setter.wanted && dot == std::string_view::npos;
  return plain || setter.found ? op : std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text), builder_("") {}

  Result<Model> run() {
    CAMBIUM_REQUIRE(cursor_.expect_word("cambium"));
    CAMBIUM_REQUIRE(cursor_.expect_word("model"));
    CAMBIUM_REQUIRE(cursor_.expect_word("1"));  // the version of the text form
    CAMBIUM_TRY(std::string name, cursor_.text());
    builder_ = Builder(std::move(name));
    while (!cursor_.at_end()) {
      const std::size_t place = cursor_.place();
      if (cursor_.take("%")) {
        CAMBIUM_REQUIRE(read_node(place));
        continue;
      }
      const std::string_view word = cursor_.word();
      if (word == "block") {
        CAMBIUM_REQUIRE(read_block());
      } else if (word == "output") {
        CAMBIUM_REQUIRE(read_output(place));
      } else {
        return cursor_.refuse_at(place, "'%', 'block' or 'output'");
      }
    }
    return std::move(builder_).finish();
  }

 private:
  Status read_block() {
    CAMBIUM_REQUIRE(cursor_.expect("@"));
    CAMBIUM_REQUIRE(cursor_.expect_word(std::to_string(blocks_)));
    CAMBIUM_TRY(std::string name, cursor_.text());
    CAMBIUM_TRY(std::string type, cursor_.text());
    builder_.add_block({std::move(name), std::move(type)});
    ++blocks_;
    return Ok{};
  }

  Status read_output(std::size_t place) {
    CAMBIUM_TRY(std::string name, cursor_.text());
    if (!outputs_.insert(name).second) {
      return cursor_.located(Rejection(Reason::NameTaken, name), place);
    }
    CAMBIUM_REQUIRE(cursor_.expect("="));
    CAMBIUM_TRY(const Value value, read_value());
    builder_.output(std::move(name), value);
    return cursor_.located(builder_.status(), place);
  }

  // What follows %: number "name" = kind ... : types @block
  Status read_node(std::size_t place) {
    CAMBIUM_TRY(const auto number, read_number<std::uint32_t>(cursor_));
    CAMBIUM_TRY(std::string name, cursor_.text());
    if (!names_.insert(name).second) {
      return cursor_.located(Rejection(Reason::NameTaken, name), place);
    }
    CAMBIUM_REQUIRE(cursor_.expect("="));
    CAMBIUM_TRY(const Value value, read_definition(std::move(name)));
    CAMBIUM_REQUIRE(cursor_.located(builder_.status(), place));
    if (!nodes_.emplace(number, value.node).second) {
      return cursor_.located(Rejection(Reason::NameTaken, fmt::format("%{}", number)), place);
    }
    if (!cursor_.take("@")) return Ok{};
    const std::size_t block_place = cursor_.place();
    CAMBIUM_TRY(const auto block, read_number<std::uint32_t>(cursor_));
    if (block >= blocks_) return cursor_.refuse_at(block_place, "the number of a block above");
    builder_.set_block(value.node, block);
    return Ok{};
  }

  Result<Value> read_definition(std::string name) {
    const std::size_t place = cursor_.place();
    const std::string_view kind = cursor_.word();
    if (kind == "input") {
      CAMBIUM_REQUIRE(cursor_.expect(":"));
      CAMBIUM_TRY(TensorType type, read_type(cursor_));
      return builder_.input(std::move(name), std::move(type));
    }
    if (kind == "weight") {
      CAMBIUM_TRY(const Literal literal, read_literal(cursor_));
      CAMBIUM_REQUIRE(cursor_.expect(":"));
      CAMBIUM_TRY(const TensorType type, read_type(cursor_));
      CAMBIUM_TRY(Tensor tensor, tensor_of(cursor_, literal, type));
      return builder_.weight(std::move(name), std::move(tensor));
    }
    std::optional<Op> op = op_named(kind);
    if (!op) return cursor_.refuse_at(place, "an operator");
    if (name.empty()) return cursor_.refuse_at(place, "a name before the operator");
    return read_operator(std::move(*op), std::move(name), place);
  }

  Result<Value> read_operator(Op op, std::string name, std::size_t place) {
    std::vector<Value> inputs;
    CAMBIUM_REQUIRE(read_list(cursor_, "(", ")", [&]() -> Status {
      CAMBIUM_TRY(const Value value, read_value());
      inputs.push_back(value);
      return Ok{};
    }));
    FieldReader fields{cursor_};
    std::visit([&](auto& x) { std::decay_t<decltype(x)>::fields(x, fields); }, op);
    CAMBIUM_REQUIRE(std::move(fields.status));
    if (fields.opened) CAMBIUM_REQUIRE(cursor_.expect("}"));
    const Value value = builder_.add(std::move(op), inputs, std::move(name));
    CAMBIUM_REQUIRE(cursor_.located(builder_.status(), place));
    // The types are implied, but a reader of the text wants them, so they must be right.
    const Node& node = builder_.node(value.node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      CAMBIUM_REQUIRE(cursor_.expect(i == 0 ? ":" : ","));
      const std::size_t type_place = cursor_.place();
      CAMBIUM_TRY(const TensorType type, read_type(cursor_));
      if (type != node.outputs[i]) {
        return cursor_.refuse_at(
            type_place, fmt::format("{} (node '{}' makes it)", node.outputs[i].text(), node.name));
      }
    }
    return value;
  }

  // %number or %number.slot
  Result<Value> read_value() {
    const std::size_t place = cursor_.place();
    CAMBIUM_REQUIRE(cursor_.expect("%"));
    const std::string_view word = cursor_.word();
    const std::size_t dot = word.find('.');
    const auto number = number_of<std::uint32_t>(word.substr(0, dot));
    const auto slot = dot == std::string_view::npos
                          ? std::optional<std::uint32_t>(0)
                          : number_of<std::uint32_t>(word.substr(dot + 1));
    if (!number || !slot) return cursor_.refuse_at(place, "a value such as %3 or %3.1");
    const auto node = nodes_.find(*number);
    if (node == nodes_.end() || *slot >= builder_.node(node->second).outputs.size()) {
      return cursor_.located(Rejection(Reason::UnknownName, fmt::format("%{}", word)), place);
    }
    return Value{node->second, *slot};
  }

  TextCursor cursor_;
  Builder builder_;
  std::unordered_map<std::uint32_t, NodeId> nodes_;
  std::unordered_set<std::string> names_, outputs_;
  std::uint32_t blocks_ = 0;
};

}  // namespace

Result<Model> parse_text(std::string_view text) {
  return Parser(text).run();
}

}  // namespace cambium::model
