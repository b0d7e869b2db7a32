#include "schema.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace cambium::tests {

namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  return type == value.type_name();
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  std::string check(const Json& value, const Json& schema, const std::string& place) const {
    static const std::set<std::string> kKeywords = {
        "$schema", "title", "description", "$defs",    "$ref",  "type",
        "const",   "enum",  "properties",  "required", "items", "additionalProperties",
        "anyOf"};
    for (const auto& item : schema.items()) {
      if (kKeywords.count(item.key()) == 0) return "the schema has an unknown " + item.key();
    }
    if (schema.contains("$ref")) {
      const std::string name = schema["$ref"].get<std::string>();
      return check(value, root_.at(Json::json_pointer(name.substr(1))), place);
    }
    if (schema.contains("anyOf")) return check_any(value, schema["anyOf"], place);
    if (schema.contains("const") && value != schema["const"]) return place + ": not the constant";
    if (schema.contains("enum")) {
      const Json& all = schema["enum"];
      if (std::find(all.begin(), all.end(), value) == all.end()) return place + ": not in the enum";
    }
    if (schema.contains("type")) {
      const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      bool fits = false;
      for (const Json& type : types) fits = fits || has_type(value, type.get<std::string>());
      if (!fits) return place + ": is " + value.type_name() + ", not " + schema["type"].dump();
    }
    return value.is_object() ? check_object(value, schema, place)
                             : check_items(value, schema, place);
  }

 private:
  std::string check_any(const Json& value, const Json& schemas, const std::string& place) const {
    std::string all;
    for (const Json& each : schemas) {
      const std::string wrong = check(value, each, place);
      if (wrong.empty()) return "";
      all += "; " + wrong;
    }
    return place + ": fits none of the alternatives" + all;
  }

  std::string check_items(const Json& value, const Json& schema, const std::string& place) const {
    if (!value.is_array() || !schema.contains("items")) return "";
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string wrong = check(value[i], schema["items"], place + "/" + std::to_string(i));
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_object(const Json& value, const Json& schema, const std::string& place) const {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) return place + ": lacks " + name.dump();
    }
    const Json properties = schema.value("properties", Json::object());
    const Json others = schema.value("additionalProperties", Json(true));
    for (const auto& item : value.items()) {
      const std::string here = place + "/" + item.key();
      std::string wrong;
      if (properties.contains(item.key())) {
        wrong = check(item.value(), properties[item.key()], here);
      } else if (others.is_object()) {
        wrong = check(item.value(), others, here);
      } else if (others == false) {
        wrong = here + ": is not in the schema";
      }
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  const Json& root_;
};

}  // namespace

std::string misfit(const Json& document, const Json& schema) {
  return Checker(schema).check(document, schema, "");
}

}  // namespace cambium::tests
