#include "engine/class_names.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::engine {

namespace {

constexpr std::string_view kComment = "# classes ";

}  // namespace

std::string classes_text(const std::vector<std::string>& classes) {
  const std::string text = json_text(classes);
  return !classes.empty() && parse_classes(text) == classes ? text : "";
}

std::vector<std::string> parse_classes(std::string_view text) {
  const auto parsed = parse_json(text);
  if (!parsed.ok() || !parsed->is_array()) return {};
  std::vector<std::string> classes;
  for (const nlohmann::json& each : *parsed) {
    if (!each.is_string()) return {};
    classes.push_back(each.get<std::string>());
  }
  return classes;
}

std::string classes_comment(const std::vector<std::string>& classes) {
  const std::string text = classes_text(classes);
  return text.empty() ? "" : std::string(kComment) + text + "\n";
}

std::vector<std::string> classes_in_comment(std::string_view model_text) {
  // The last line: a model's own lines are long, and there may be a gigabyte of them.
  if (model_text.empty() || model_text.back() != '\n') return {};
  model_text.remove_suffix(1);
  const std::size_t before = model_text.rfind('\n');
  if (before == std::string_view::npos) return {};
  const std::string_view line = model_text.substr(before + 1);
  return line.substr(0, kComment.size()) == kComment ? parse_classes(line.substr(kComment.size()))
                                                     : std::vector<std::string>();
}

}  // namespace cambium::engine
