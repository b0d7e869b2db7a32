#include "tune/access_features.h"

#include <algorithm>
#include <cmath>

namespace cambium::tune {
namespace {

constexpr std::size_t kBuffers = 5;
constexpr std::size_t kCurve = 10;

class AccessWriter {
 public:
  AccessWriter(const Analysis& analysis, std::size_t number)
      : a_(analysis),
        b_(&analysis.blocks[number]),
        number_(number),
        instances_(b_->iterations(0, b_->loops.size())) {}

  void write(Columns& to) {
    accesses(to);
    curve(to);
  }

 private:
  void accesses(Columns& to) {
    order_.clear();
    for (const AccessInfo& access : b_->accesses) {
      if (!access.in_registers) order_.push_back(&access);
    }
    std::stable_sort(order_.begin(), order_.end(), [](const AccessInfo* x, const AccessInfo* y) {
      return x->bytes[0] > y->bytes[0];
    });
    for (std::size_t i = 0; i < kBuffers; ++i) {
      to.within("buffer", i);
      access(to, i < order_.size() ? order_[i] : nullptr);
    }
  }

  void access(Columns& to, const AccessInfo* access) {
    static const AccessInfo kNone{};
    const AccessInfo& x = access == nullptr ? kNone : *access;
    const double some = access == nullptr ? 0 : 1;
    const double size =
        some * (access == nullptr ? 0 : static_cast<double>(size_of(x.buffer->dtype)));
    const double touched = size * instances_;
    const double lines = some * instances_ * (is_strided(x) ? 1 : size / 64);
    const double unique = access == nullptr ? 0 : x.elements[0] * size;
    const double unique_lines = access == nullptr ? 0 : x.bytes[0] / 64;
    const Reuse reuse = access == nullptr ? Reuse{} : reuse_of(x);
    to("reads", x.reads && !x.writes ? 1 : 0);
    to("writes", x.writes && !x.reads ? 1 : 0);
    to("updates", x.writes && x.reads ? 1 : 0);
    to("bytes", slog(touched));
    to("unique_bytes", slog(unique));
    to("lines", slog(lines));
    to("unique_lines", slog(unique_lines));
    to("reuse_none", reuse.kind == 0 ? some : 0);
    to("reuse_in_loop", reuse.kind == 1 ? 1 : 0);
    to("reuse_of_another", reuse.kind == 2 ? 1 : 0);
    to("reuse_iterations", slog(reuse.iterations));
    to("reuse_bytes", slog(reuse.bytes));
    to("reuse_count", slog(reuse.count));
    const double count = std::max(reuse.count, 1.0);
    to("bytes_per_reuse", slog(touched / count));
    to("unique_bytes_per_reuse", slog(unique / count));
    to("lines_per_reuse", slog(lines / count));
    to("unique_lines_per_reuse", slog(unique_lines / count));
    to("stride", slog(innermost_stride(x)));
  }

  double innermost_stride(const AccessInfo& x) const {
    for (std::size_t i = b_->loops.size(); i-- > 0;) {
      if (x.stride[i] != 0) return static_cast<double>(x.stride[i]);
    }
    return 0;
  }
  bool is_strided(const AccessInfo& x) const { return std::abs(innermost_stride(x)) >= 64; }

  struct Reuse {
    int kind = 0;  // none, in a loop, of what another block touched
    double iterations = 0, bytes = 0, count = 0;
  };
  // The innermost loop that does not move it, or an earlier block with the same buffer.
  Reuse reuse_of(const AccessInfo& x) const {
    for (std::size_t i = b_->loops.size(); i-- > 0;) {
      if ((x.moves >> i & 1U) != 0) continue;
      double bytes = 0;
      for (const AccessInfo& other : b_->accesses) {
        if (!other.in_registers) bytes += other.bytes[i + 1];
      }
      return {1, b_->iterations(i + 1, b_->loops.size()), bytes,
              static_cast<double>(b_->loops[i].extent)};
    }
    for (std::size_t other = number_; other-- > 0;) {
      double bytes = 0;
      bool same = false;
      for (const AccessInfo& theirs : a_.blocks[other].accesses) {
        if (!theirs.in_registers) bytes += theirs.bytes[0];
        same = same || theirs.buffer == x.buffer;
      }
      if (same) return {2, instances_, bytes, 1};
    }
    return {};
  }

  // Operations per byte touched when more and more loops run, from none to all.
  void curve(Columns& to) {
    const std::size_t levels = b_->loops.size();
    for (std::size_t i = 0; i < kCurve; ++i) {
      const std::size_t level = levels - i * levels / (kCurve - 1);
      double bytes = 0;
      for (const AccessInfo* x : order_) bytes += x->bytes[level];
      const double operations = b_->arithmetic.total() * b_->iterations(level, levels);
      to.within("intensity", i);
      to("", slog(ratio(operations, bytes)));
    }
  }

  const Analysis& a_;
  const BlockInfo* b_;
  std::size_t number_;
  double instances_;
  std::vector<const AccessInfo*> order_;
};

}  // namespace

void write_access_features(const Analysis& analysis, std::size_t block, Columns& to) {
  AccessWriter(analysis, block).write(to);
}

}  // namespace cambium::tune
