#include "report/plain_svg.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace cambium::report {
namespace {

using std::string_view;

constexpr string_view kElements =
    " svg g title desc defs text tspan path polygon polyline ellipse circle rect line ";
constexpr string_view kAttributes =
    " xmlns xmlns:xlink xml:space version id class width height viewBox preserveAspectRatio "
    "transform d "
    "points x y x1 y1 x2 y2 cx cy r rx ry fill fill-opacity fill-rule stroke stroke-width "
    "stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin opacity text-anchor "
    "font-family font-size font-style font-weight textLength lengthAdjust ";
constexpr string_view kBlank = " \t\n\r";
constexpr string_view kEndOfName = " \t\n\r/>=\"'<";

bool is_one_of(string_view name, string_view list) {
  if (name.empty()) return false;
  for (std::size_t at = list.find(name); at != string_view::npos; at = list.find(name, at + 1)) {
    if (list[at - 1] == ' ' && list[at + name.size()] == ' ') return true;
  }
  return false;
}

// Whether it shows what it holds: UTF-8, without characters that act on a reader.
bool is_readable(string_view text) {
  while (!text.empty()) {
    const Character next = first_character(text);
    if (is_invisible(next) && kBlank.find(next.bytes) == string_view::npos) return false;
    text.remove_prefix(next.bytes.size());
  }
  return true;
}

// Takes the text up to and with `end` off its front; nothing where there is no end.
bool take_to(string_view& text, string_view end, string_view& taken) {
  const std::size_t at = text.find(end);
  if (at == string_view::npos) return false;
  taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return true;
}

string_view take_name(string_view& text) {
  const string_view name = text.substr(0, text.find_first_of(kEndOfName));
  text.remove_prefix(name.size());
  return name;
}

void skip_blank(string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

// name="value"
bool take_attribute(string_view& text) {
  const string_view name = take_name(text);
  if (!is_one_of(name, kAttributes)) return false;
  skip_blank(text);
  if (!text.starts_with('=')) return false;
  text.remove_prefix(1);
  skip_blank(text);
  const bool is_quoted = text.starts_with('"') || text.starts_with('\'');
  if (!is_quoted) return false;
  const string_view quote = text.substr(0, 1);
  text.remove_prefix(1);
  string_view value;
  if (!take_to(text, quote, value) || value.find_first_of("<&\\") != string_view::npos) {
    return false;
  }
  // A paint may stand at another address, as in url(...), in letters of either case. Only
  // transformations are written with parentheses otherwise.
  return name == "transform" || value.find('(') == string_view::npos;
}

bool take_element(string_view& text) {
  if (!is_one_of(take_name(text), kElements)) return false;
  for (skip_blank(text); !text.starts_with('>'); skip_blank(text)) {
    if (text.starts_with("/>")) {
      text.remove_prefix(1);
    } else if (!take_attribute(text)) {
      return false;
    }
  }
  text.remove_prefix(1);
  return true;
}

// The one that Graphviz writes: a reader may load what another names.
bool is_doctype(string_view text) {
  constexpr string_view kKnown =
      "!DOCTYPEsvgPUBLIC\"-//W3C//DTDSVG1.1//EN\"\"http://www.w3.org/Graphics/SVG/1.1/DTD/"
      "svg11.dtd\"";
  std::string dense(text);
  std::erase_if(dense, [](char c) { return kBlank.find(c) != string_view::npos; });
  return dense == kKnown;
}

// What stands behind a '<'.
bool take_markup(string_view& text) {
  string_view inside;
  if (text.starts_with("!--")) return take_to(text, "-->", inside);
  if (text.starts_with("!DOCTYPE ")) return take_to(text, ">", inside) && is_doctype(inside);
  if (text.starts_with("?xml ")) {
    const bool ends = take_to(text, "?>", inside);
    const bool names_encoding = inside.find("encoding") != string_view::npos;
    return ends && (!names_encoding || inside.find("\"UTF-8\"") != string_view::npos);
  }
  if (!text.starts_with('/')) return take_element(text);
  text.remove_prefix(1);
  return take_to(text, ">", inside) &&
         is_one_of(inside.substr(0, inside.find_first_of(kBlank)), kElements);
}

}  // namespace

bool is_plain_svg(string_view text) {
  if (!is_readable(text)) return false;
  string_view between;
  while (take_to(text, "<", between)) {
    if (!take_markup(text)) return false;
  }
  return true;
}

}  // namespace cambium::report
