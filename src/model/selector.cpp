#include "model/selector.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "base/text.h"

namespace cambium::model {

namespace {

enum class Key : std::uint8_t {
  Kernel,
  Stride,
  Dilation,
  Groups,
  In,
  Out,
  Depthwise,
  Same,
  Name,
  Block
};
enum class KeyType : std::uint8_t { Numbers, Pattern, Flag };

struct KeyRow {
  Key key;
  std::string_view name;
  KeyType type;
  bool conv, linear, block;  // the kinds that have it
};

// clang-format off
constexpr KeyRow kKeys[] = {
  {Key::Kernel,    "k",         KeyType::Numbers, true,  false, false},
  {Key::Stride,    "stride",    KeyType::Numbers, true,  false, false},
  {Key::Dilation,  "dilation",  KeyType::Numbers, true,  false, false},
  {Key::Groups,    "groups",    KeyType::Numbers, true,  false, false},
  {Key::In,        "in",        KeyType::Numbers, true,  true,  false},
  {Key::Out,       "out",       KeyType::Numbers, true,  true,  false},
  {Key::Depthwise, "depthwise", KeyType::Flag,    true,  false, false},
  {Key::Same,      "same",      KeyType::Flag,    true,  false, false},
  {Key::Name,      "name",      KeyType::Pattern, true,  true,  true},
  {Key::Block,     "block",     KeyType::Pattern, true,  true,  false},
  {Key::Block,     "type",      KeyType::Pattern, false, false, true},
};
// clang-format on

constexpr SiteKind kKinds[] = {SiteKind::Conv, SiteKind::Linear, SiteKind::Block};

bool has(const KeyRow& row, SiteKind kind) {
  switch (kind) {
    case SiteKind::Conv: return row.conv;
    case SiteKind::Linear: return row.linear;
    case SiteKind::Block: return row.block;
  }
  return false;
}

std::vector<std::string> keys_of(SiteKind kind) {
  std::vector<std::string> names;
  for (const KeyRow& row : kKeys) {
    if (has(row, kind)) names.emplace_back(row.name);
  }
  return names;
}

Rejection bad(std::string_view selector, std::string why) {
  return {Reason::BadSelector, std::string(selector), std::move(why)};
}

Rejection bad_name(std::string_view selector, std::string what, std::string_view wrong,
                   const std::vector<std::string>& names) {
  what += " '" + std::string(wrong) + "'; ";
  const auto near = closest(wrong, names);
  what += near ? "did you mean '" + *near + "'?" : "expected one of " + join(names, ", ");
  return bad(selector, std::move(what));
}

Ints numbers_of(Key key, const SiteFacts& facts) {
  switch (key) {
    case Key::Kernel: return facts.kernel;
    case Key::Stride: return facts.stride;
    case Key::Dilation: return facts.dilation;
    case Key::Groups: return {facts.groups};
    case Key::In: return {facts.in};
    case Key::Out: return {facts.out};
    default: return {};
  }
}

}  // namespace

std::string_view name_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::Conv: return "conv";
    case SiteKind::Linear: return "linear";
    case SiteKind::Block: return "block";
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> selector_forms() {
  std::vector<std::pair<std::string, std::string>> forms;
  for (const SiteKind kind : {SiteKind::Conv, SiteKind::Linear, SiteKind::Block}) {
    forms.emplace_back(name_of(kind), join(keys_of(kind), ", "));
  }
  return forms;
}

// Linear in the text: on a mismatch only the last star takes one character more.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, retry_text = 0;
  std::optional<std::size_t> star;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star) {
      p = *star + 1;
      t = ++retry_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<Selector> Selector::parse(std::string_view text) {
  Selector out;
  out.text_ = std::string(trim(text));
  for (const std::string_view part : split(out.text_, '+')) {
    CAMBIUM_TRY(Clause clause, parse_clause(trim(part)));
    out.clauses_.push_back(std::move(clause));
  }
  return out;
}

Result<Selector::Clause> Selector::parse_clause(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = trim(text.substr(0, colon));
  std::vector<std::string> names;
  std::optional<SiteKind> kind;
  for (const SiteKind candidate : kKinds) {
    names.emplace_back(name_of(candidate));
    if (names.back() == word) kind = candidate;
  }
  if (!kind) return bad_name(text, "unknown kind", word, names);
  if (colon == std::string_view::npos) {
    return bad(text, "expected ':' after the kind; '" + names[static_cast<std::size_t>(*kind)] +
                         ":*' matches all");
  }
  Clause clause{*kind, {}};
  const std::string_view rest = trim(text.substr(colon + 1));
  if (rest == "*") return clause;
  for (const std::string_view part : split(rest, ',')) {
    auto filter = parse_filter(*kind, trim(part));
    if (!filter.ok()) return std::move(filter).rejection();
    clause.filters.push_back(std::move(filter).value());
  }
  return clause;
}

Result<Selector::Filter> Selector::parse_filter(SiteKind kind, std::string_view text) {
  if (text.empty()) return bad(text, "a key is missing; '*' matches all");
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  const bool bare = equals == std::string_view::npos;
  const std::string_view value = bare ? std::string_view() : trim(text.substr(equals + 1));
  const auto* row = std::find_if(std::begin(kKeys), std::end(kKeys),
                                 [&](const KeyRow& r) { return r.name == name && has(r, kind); });
  if (row == std::end(kKeys)) {
    // A bare word behind `block:` is the type.
    if (kind == SiteKind::Block && bare) return parse_filter(kind, "type=" + std::string(name));
    return bad_name(text, std::string(name_of(kind)) + " has no key", name, keys_of(kind));
  }
  Filter filter;
  filter.key = static_cast<std::size_t>(row - std::begin(kKeys));
  if (row->type == KeyType::Flag) {
    if (!bare && value != "yes" && value != "no") {
      return bad(text, "'" + std::string(name) + "' must be yes or no");
    }
    filter.wanted = bare || value == "yes";
    return filter;
  }
  if (value.empty()) return bad(text, "'" + std::string(name) + "' needs a value");
  for (const std::string_view choice : split(value, '|')) {
    if (row->type == KeyType::Pattern) {
      filter.patterns.emplace_back(trim(choice));
      continue;
    }
    const std::size_t dots = choice.find("..");
    const std::string_view low = trim(choice.substr(0, dots));
    auto first = parse_int(low, 0);
    if (!first.ok()) return bad(text, first.rejection().message());
    Range range{*first, *first};
    if (dots != std::string_view::npos) {
      const std::string_view high = trim(choice.substr(dots + 2));
      range.high = std::numeric_limits<std::int64_t>::max();
      if (!high.empty()) {
        auto last = parse_int(high, *first);
        if (!last.ok()) return bad(text, last.rejection().message());
        range.high = *last;
      }
    }
    filter.ranges.push_back(range);
  }
  return filter;
}

bool Selector::holds(const Filter& filter, const SiteFacts& facts) {
  const KeyRow& row = kKeys[filter.key];
  if (row.type == KeyType::Flag) {
    return filter.wanted == (row.key == Key::Depthwise ? facts.depthwise : facts.same);
  }
  if (row.type == KeyType::Pattern) {
    const std::string& text = row.key == Key::Name ? facts.name : facts.block;
    return std::any_of(filter.patterns.begin(), filter.patterns.end(),
                       [&](const std::string& p) { return matches_pattern(p, text); });
  }
  const Ints numbers = numbers_of(row.key, facts);
  return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t number) {
    return std::any_of(filter.ranges.begin(), filter.ranges.end(), [&](const Range& range) {
      return range.low <= number && number <= range.high;
    });
  });
}

bool Selector::accepts(const SiteFacts& facts) const {
  return std::any_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    return clause.kind == facts.kind &&
           std::all_of(clause.filters.begin(), clause.filters.end(),
                       [&](const Filter& filter) { return holds(filter, facts); });
  });
}

}  // namespace cambium::model
