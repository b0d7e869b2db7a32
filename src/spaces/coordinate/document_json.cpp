#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "spaces/coordinate/canonical.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/document_reader.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Lexer;
using nlohmann::json;

Result<std::string> string_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return Rejection(Reason::MissingField, key, "a string");
  }
  return found->get<std::string>();
}

// Reads every string of a list with `item`, which must consume the whole string.
template <class Item>
Status read_list(const json& list, const std::string& name, const Item& item) {
  if (!list.is_array()) return Rejection(Reason::MissingField, name, "a list of strings");
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string field = name + "[" + std::to_string(i) + "]";
    if (!list[i].is_string()) return Rejection(Reason::MissingField, field, "a string");
    const std::string text = list[i].get<std::string>();
    Lexer lexer(text);
    const PlaceOf place = [&](std::string_view) { return field; };
    Status read = item(lexer, place);
    if (read.ok() && !lexer.at_end()) read = lexer.refuse("the end");
    if (read.ok()) continue;
    const std::vector<std::string> places = read.rejection().places();
    if (!places.empty() && places.front() == field) return read;
    return std::move(read).at(field);
  }
  return Ok{};
}

template <class Item>
Status read_field(const json& object, const char* key, bool needed, const Item& item) {
  const auto found = object.find(key);
  if (found == object.end()) {
    if (!needed) return Ok{};
    return Rejection(Reason::MissingField, key, "a list of strings");
  }
  return read_list(*found, key, item);
}

Result<json> parse_object(std::string_view document) {
  CAMBIUM_TRY(json object, parse_json(document));
  if (!object.is_object()) return Rejection(Reason::MissingField, "operator", "an object");
  for (const auto& [key, value] : object.items()) {
    constexpr std::string_view kKnown[] = {"input", "output",  "out",   "sum",
                                           "x",     "weights", "expand"};
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
      return Rejection(Reason::UnknownName, key);
    }
  }
  return object;
}

}  // namespace

Result<DocumentShapes> json_document_shapes(std::string_view document) {
  CAMBIUM_TRY(const json object, parse_object(document));
  DocumentShapes shapes;
  CAMBIUM_TRY(shapes.input, string_at(object, "input"));
  CAMBIUM_TRY(shapes.output, string_at(object, "output"));
  return shapes;
}

Result<Operator> parse_json_document(const Problem& problem, std::string_view document) {
  CAMBIUM_TRY(const json object, parse_object(document));
  CAMBIUM_TRY(const std::string input, string_at(object, "input"));
  CAMBIUM_TRY(const std::string output, string_at(object, "output"));
  DocumentReader reader(problem);
  CAMBIUM_REQUIRE(reader.shapes(input, output));
  const auto reads = [&](auto method) {
    return [&reader, method](Lexer& lexer, const PlaceOf& place) {
      return (reader.*method)(lexer, place);
    };
  };
  CAMBIUM_REQUIRE(read_field(object, "out", true, reads(&DocumentReader::output)));
  CAMBIUM_REQUIRE(read_field(object, "sum", false, reads(&DocumentReader::sum)));
  CAMBIUM_REQUIRE(read_field(object, "x", true, reads(&DocumentReader::data)));
  if (const auto weights = object.find("weights"); weights != object.end()) {
    if (!weights->is_array()) return Rejection(Reason::MissingField, "weights", "a list of lists");
    for (std::size_t w = 0; w < weights->size(); ++w) {
      CAMBIUM_REQUIRE(reader.begin_weight());
      CAMBIUM_REQUIRE(read_list((*weights)[w], "weights[" + std::to_string(w) + "]",
                                reads(&DocumentReader::weight_axis)));
    }
  }
  CAMBIUM_REQUIRE(read_field(object, "expand", false, reads(&DocumentReader::expand)));
  return reader.finish();
}

json json_of(const Problem& problem, const Operator& any) {
  const Operator op = canonical(any);
  const LeafNames names = derived_names(problem, op);
  const auto texts = [&](const std::vector<CoordinateIndex>& places) {
    json items = json::array();
    for (const CoordinateIndex i : places) items.push_back(coordinate_text(problem, op, names, i));
    return items;
  };
  json object = {{"input", shape_text(problem.sizes, problem.input)},
                 {"output", shape_text(problem.sizes, problem.output)},
                 {"out", json::array()},
                 {"sum", json::array()},
                 {"x", texts(op.data)},
                 {"weights", json::array()}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Coordinate& c = op.coordinates[i];
    if (c.kind == CoordinateKind::Output) object["out"].push_back(names[i]);
    if (c.kind == CoordinateKind::Reduce) {
      object["sum"].push_back(names[i] + ": " + problem.sizes.print(c.domain));
    }
  }
  for (const auto& weight : op.weights) object["weights"].push_back(texts(weight));
  if (const auto alone = expanded_alone(op); !alone.empty()) object["expand"] = texts(alone);
  return object;
}

std::string to_json(const Problem& problem, const Operator& op) {
  return json_text(json_of(problem, op));
}

}  // namespace cambium::spaces::coordinate
