#include "cli/legality_view.h"

#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "cli/table.h"

namespace cambium::cli {
namespace {

std::string share_text(std::int64_t part, std::int64_t all) {
  if (all == 0) return "";
  return fmt::format(" ({:.0f} %)", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

std::string legality_text(const engine::LegalityByKind& found, std::size_t width) {
  if (found.all.judged == 0) return {};
  std::set<std::string> spaces;
  for (const engine::LegalityCount& count : found.kinds) spaces.insert(count.space);
  Table table({{"kind of step", kLeft, true},
               {"space", kLeft, false},
               {"candidates", kRight, false},
               {"judged", kRight, false},
               {"illegal", kRight, false},
               {"undecided", kRight, false},
               {"layers below the original", kRight, false}});
  const auto add = [&](const std::string& kind, const engine::LegalityCount& count) {
    table.add({kind, spaces.size() > 1 ? count.space : "", std::to_string(count.candidates),
               std::to_string(count.judged),
               std::to_string(count.illegal) + share_text(count.illegal, count.judged),
               count.undecided > 0 ? std::to_string(count.undecided) : "",
               count.layers == 0 ? ""
                                 : fmt::format("{} of {}", count.fallen, count.layers) +
                                       share_text(count.fallen, count.layers)});
  };
  add("(all)", found.all);
  for (const engine::LegalityCount& count : found.kinds) add(count.kind, count);
  return table.text(width);
}

}  // namespace cambium::cli
