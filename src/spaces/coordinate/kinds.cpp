#include "spaces/coordinate/kinds.h"

#include <algorithm>
#include <cctype>

namespace cambium::spaces::coordinate {

std::string_view name_of(PrimitiveKind kind) {
  switch (kind) {
#define CAMBIUM_X(name, text, counts, usual, most, what) \
  case PrimitiveKind::name: return text;
    CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
#undef CAMBIUM_X
    case PrimitiveKind::Share: return "SHARE";
    case PrimitiveKind::Contraction: return "CONTRACTION";
  }
  return "";
}

std::string_view name_of(CoordinateKind kind) {
  const auto& primitive = info_of(kind).primitive;
  return primitive ? name_of(*primitive) : "OUTPUT";
}

std::optional<CoordinateKind> view_named(std::string_view word) {
  for (const CoordinateInfo& info : kCoordinateInfos) {
    if (info.operands > 0 && info.word == word) return info.kind;
  }
  return std::nullopt;
}

std::vector<std::string> primitives_in(std::string_view document) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < document.size(); ++i) {
    if (std::isalnum(static_cast<unsigned char>(document[i])) != 0) continue;
    const auto kind = view_named(document.substr(begin, i - begin));
    begin = i + 1;
    if (document[i] != '(' || !kind) continue;
    const std::string name(name_of(*kind));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace cambium::spaces::coordinate
