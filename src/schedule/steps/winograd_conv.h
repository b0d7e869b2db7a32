// Recognizes the blocks whose sums over 3x3 windows Winograd's algorithm can compute, by their
// accesses: y[.., oh, ow, ..] += x[.., oh + kh, ow + kw, ..] * w[.., kh, kw, ..], where no other
// index depends on the windows. Any further iterators (batch, groups, channels, the depth taps of a
// 3-D convolution) are allowed. Used by the step and by the rule that tries it.
#pragma once

#include "program/analysis.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct WinogradConv {
  // One of the two dimensions in which the window moves. Positions of iterators and dimensions.
  struct Window {
    std::size_t out, tap;
    std::size_t data_dim, weight_dim;
    std::int64_t offset;  // the data is read at out + tap + offset
  };

  program::Site site;
  program::Scalar data, weights;  // loads
  Window rows, columns;           // in the order of the data's dimensions

  const program::Body& body() const { return *site.block->body; }
  std::int64_t extent(const Window& w) const { return body().iterators[w.out].extent(); }
};

// Refuses UnknownName and NotWinograd. If more than two dimensions have windows, the last two are
// used, and the others are treated as ordinary sums.
Result<WinogradConv> winograd_conv(Context& cx, const Program& program, const std::string& block);

}  // namespace cambium::schedule
