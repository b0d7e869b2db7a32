#include "lower/nest_form.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/scanner.h"

namespace cambium::lower {
namespace {

constexpr Lexicon kLexicon{.in_names = "_"};

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // products of two fit

Result<std::int64_t> whole(Scanner& scanner) {
  const auto number = scanner.whole();
  if (!number || *number < 0 || *number > kMost) {
    return scanner.refuse("a whole number from 0 to 2147483647");
  }
  scanner.advance();
  return *number;
}

Status field(Scanner& scanner, std::string_view name) {
  CAMBIUM_REQUIRE(scanner.expect_word(name));
  return scanner.expect("=");
}

Result<model::Ints> list(Scanner& scanner, std::string_view name) {
  CAMBIUM_REQUIRE(field(scanner, name));
  CAMBIUM_REQUIRE(scanner.expect("["));
  model::Ints numbers;
  do {
    CAMBIUM_TRY(const std::int64_t number, whole(scanner));
    numbers.push_back(number);
  } while (scanner.take(","));
  CAMBIUM_REQUIRE(scanner.expect("]"));
  return numbers;
}

}  // namespace

std::string to_text(const NestForm& form) {
  const auto text = [](const model::Ints& numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
  };
  const model::Conv& conv = form.conv;
  return fmt::format("conv filter={} strides={} pads={} dilations={} groups={}\n{}",
                     text(form.filter), text(conv.strides), text(conv.pads), text(conv.dilations),
                     conv.groups, form.recipe);
}

Result<NestForm> read_nest_form(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  Scanner scanner(text.substr(0, end), kLexicon);
  NestForm form;
  CAMBIUM_REQUIRE(scanner.expect_word("conv"));
  CAMBIUM_TRY(form.filter, list(scanner, "filter"));
  CAMBIUM_TRY(form.conv.strides, list(scanner, "strides"));
  CAMBIUM_TRY(form.conv.pads, list(scanner, "pads"));
  CAMBIUM_TRY(form.conv.dilations, list(scanner, "dilations"));
  CAMBIUM_REQUIRE(field(scanner, "groups"));
  CAMBIUM_TRY(form.conv.groups, whole(scanner));
  if (!scanner.at_end()) return scanner.refuse("the end of the line");
  const std::size_t rank = form.filter.size();
  const auto all_positive = [](const model::Ints& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](std::int64_t n) { return n > 0; });
  };
  if (!all_positive(form.filter) || !all_positive(form.conv.strides) ||
      !all_positive(form.conv.dilations)) {
    return scanner.refuse_at(0, "sizes, strides and dilations from 1 on");
  }
  if (rank < 3 || form.conv.strides.size() != rank - 2 || form.conv.dilations.size() != rank - 2 ||
      form.conv.pads.size() != 2 * (rank - 2) || form.conv.groups < 1) {
    return scanner.refuse_at(0, "attributes of one convolution");
  }
  form.recipe = end < text.size() ? text.substr(end + 1) : "";
  return form;
}

bool is_nest(const model::Model& model, model::NodeId id) {
  const model::Node& node = model.node(id);
  const auto* const composite = node.as<model::Composite>();
  if (composite == nullptr || composite->space != kNestSpace) return false;
  if (node.inputs.size() < 2 || node.outputs.size() != 1) return false;
  const bool reads_weights =
      std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                  [&](model::Value value) { return model.weight(value) != nullptr; });
  if (!reads_weights) return false;
  const Result<NestForm> form = read_nest_form(composite->document);
  if (!form.ok()) return false;
  const std::vector<std::int64_t>& x = model.type(node.inputs[0]).dims;
  return x.size() == form->filter.size() && x[1] == form->filter[1] * form->conv.groups &&
         node.outputs[0].dims.size() == x.size();
}

}  // namespace cambium::lower
