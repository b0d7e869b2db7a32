#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "base/utf8.h"

namespace cambium {
namespace {

constexpr std::string_view kBlank = " \t\r\n\f\v";

// Insertions, deletions, changes, and swaps of neighbours, which are what fingers get wrong.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

// Three significant digits and the largest unit that keeps the number at 1 or more.
std::string scaled(double value, double step, std::span<const char* const> units) {
  std::size_t unit = 0;
  // 0.9995 of a step would print as 1000 of the smaller unit.
  while (unit + 1 < units.size() && std::abs(value) >= step * 0.9995) {
    value /= step;
    ++unit;
  }
  const double size = std::abs(value);
  const int digits = unit == 0 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string quote(std::string_view text) {
  std::string out = "'";
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes.size());
    if (next.code == '\n') {
      out += "\\n";
    } else if (is_invisible(next)) {
      out += visible(next);
    } else {
      if (next.code == '\'' || next.code == '\\') out += '\\';
      out += next.bytes;
    }
  }
  return out + "'";
}

Result<std::int64_t> parse_int(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && rest == end && low <= value && value <= high) return value;
  using Limits = std::numeric_limits<std::int64_t>;
  std::string wanted = "a whole number";
  if (low != Limits::min() && high != Limits::max()) {
    wanted += fmt::format(" from {} to {}", low, high);
  } else if (low != Limits::min()) {
    wanted += fmt::format(" of at least {}", low);
  } else if (high != Limits::max()) {
    wanted += fmt::format(" of at most {}", high);
  }
  return Rejection(Reason::BadNumber, quote(text), std::move(wanted));
}

Result<double> parse_double(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && rest == end && std::isfinite(value)) return value;
  return Rejection(Reason::BadNumber, quote(text), "a finite number");
}

std::optional<std::string> closest(std::string_view wrong, std::span<const std::string> names) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& name : names) {
    const std::size_t longer = std::max(wrong.size(), name.size());
    const std::size_t shorter = std::min(wrong.size(), name.size());
    // They differ by as many letters at least; a name out of a file may have millions.
    if ((longer - shorter) * 3 > longer) continue;
    const std::size_t distance = edit_distance(wrong, name);
    if (distance * 3 > longer) continue;
    if (best == nullptr || distance < best_distance) {
      best = &name;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string human_count(double count) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  return scaled(count, 1000, kUnits);
}

std::string human_bytes(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  return scaled(static_cast<double>(bytes), 1024, kUnits);
}

}  // namespace cambium
