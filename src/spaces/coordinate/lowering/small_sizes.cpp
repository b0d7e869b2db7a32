#include "spaces/coordinate/lowering/small_sizes.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "spaces/coordinate/lowering/views.h"

namespace cambium::spaces::coordinate {

namespace {

// Two or three elements on an axis hide too much: a shift by one is the inverse of itself, or of a
// shift by two.
constexpr std::int64_t kSmall = 4, kMostTried = 512;

class Shrinking {
 public:
  static Result<Shrinking> of(const Operator& op, const expr::Binding& place) {
    std::set<expr::Size> sizes, windows;
    for (const Coordinate& it : op.coordinates) {
      sizes.insert(it.domain);
      sizes.insert(it.parameter);
      if (it.kind != CoordinateKind::Unfold) continue;
      const Coordinate& window = op.coordinates[place_of(it.second)];
      const bool is_strided = window.kind == CoordinateKind::Stride;
      windows.insert(is_strided ? op.coordinates[place_of(window.first)].domain : window.domain);
    }
    Shrinking out(place);
    for (const expr::Size& size : sizes) {
      CAMBIUM_TRY(const std::int64_t extent, expr::evaluate(size, place));
      out.sizes_.push_back({size, extent, windows.contains(size)});
    }
    return out;
  }

  // Variables that divide others come first, so that the others can shrink. The second round is
  // needed because the range of each variable depends on the others.
  expr::Binding run() {
    for (int pass = 0; pass < 2; ++pass) {
      for (int v = expr::kMaxVars; v-- > 0;) shrink({static_cast<std::uint8_t>(v)});
    }
    return now_;
  }

 private:
  struct Wanted {
    expr::Size size;
    std::int64_t at_place;
    bool is_window;

    bool allows(std::int64_t extent) const {
      if ((extent == 1) != (at_place == 1) || extent < std::min(at_place, kSmall)) return false;
      return !is_window || (extent > Views::kMostSlices) == (at_place > Views::kMostSlices);
    }
  };

  explicit Shrinking(const expr::Binding& place) : now_(place) {}

  // Variables that the operator does not use keep their values.
  bool holds(expr::SizeVar v) const {
    return std::any_of(sizes_.begin(), sizes_.end(),
                       [&](const Wanted& wanted) { return wanted.size.powers()[v] != 0; });
  }

  void shrink(expr::SizeVar v) {
    if (!holds(v)) return;
    const std::int64_t before = now_[v];
    for (std::int64_t value = 2; value < std::min(before, kMostTried); ++value) {
      set(v, value);
      if (fits()) return;
    }
    set(v, before);
  }

  void set(expr::SizeVar v, std::int64_t value) {
    CAMBIUM_CHECK(now_.set(v, value).ok(), "a size is positive");
  }

  bool fits() {
    extents_.clear();
    for (const Wanted& wanted : sizes_) {
      const auto extent = expr::evaluate(wanted.size, now_);
      if (!extent.ok() || !wanted.allows(*extent)) return false;
      extents_.emplace_back(*extent, wanted.at_place);
    }
    std::sort(extents_.begin(), extents_.end());
    const auto is_confused = [](const auto& a, const auto& b) {
      return a.first == b.first && a.second != b.second;
    };
    return std::adjacent_find(extents_.begin(), extents_.end(), is_confused) == extents_.end();
  }

  expr::Binding now_;
  std::vector<Wanted> sizes_;
  std::vector<std::pair<std::int64_t, std::int64_t>> extents_;  // of sizes_, now and at the place
};

}  // namespace

Result<expr::Binding> small_like(const Operator& op, const expr::Binding& place) {
  CAMBIUM_TRY(Shrinking shrinking, Shrinking::of(op, place));
  return shrinking.run();
}

}  // namespace cambium::spaces::coordinate
