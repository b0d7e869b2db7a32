// The sizes and axes that the tests of this folder share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expr/context.h"
#include "expr/simplify.h"
#include "expr/text.h"

namespace cambium::expr {

struct ExprFixture {
  struct NamedAxis {
    const char* name;
    const char* extent;
  };
  static constexpr NamedAxis kAxes[] = {
      {"i", "H"},  {"j", "W"},   {"r", "k"},  {"co", "g"},   {"ci", "[Ci/g]"}, {"c", "Ci"},
      {"n", "64"}, {"io", "16"}, {"ii", "4"}, {"t", "1000"}, {"u", "1000"},    {"v", "7"}};

  // Bindings as text: "Ci=64, H=56 ...".
  explicit ExprFixture(const std::vector<std::string>& bindings = {}) {
    SizeTable sizes;
    for (const char* name : {"Ci", "H", "W"}) (void)sizes.add_primary(name).value();
    for (const char* name : {"k", "s", "g"}) (void)sizes.add_coefficient(name).value();
    std::vector<Binding> bound;
    for (const std::string& text : bindings) bound.push_back(sizes.parse_binding(text).value());
    cx = std::make_unique<Context>(sizes, bound);
    for (const NamedAxis& axis : kAxes) (void)cx->axis(axis.name, read(axis.extent)).value();
  }
  Expr read(std::string_view text) { return parse(*cx, text).at(std::string(text)).value(); }
  std::string simple(std::string_view text) { return print(*cx, simplify(*cx, read(text))); }

  std::unique_ptr<Context> cx;
};

}  // namespace cambium::expr
