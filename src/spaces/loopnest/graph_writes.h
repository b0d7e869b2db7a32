// Pieces: what blocks have written into one buffer so far, and the whole that the pieces make.
#pragma once

#include <optional>
#include <vector>

#include "model/builder.h"
#include "spaces/loopnest/graph_reads.h"

namespace cambium::spaces::loopnest {

// A part of a buffer, with as many dimensions.
struct Box {
  model::Ints begin, extent;
  model::Value value;

  std::int64_t end(std::size_t d) const { return begin[d] + extent[d]; }
};

// Whether loops write one element of an axis after the other.
bool is_dense(const AxisRead& axis);
// A value with an axis for each loop, as the part of a buffer that these loops write: with zeros
// where they leave gaps. Nothing if they count in no mixed radix.
std::optional<model::Value> spread_out(model::Builder& builder, model::Value value,
                                       const std::vector<AxisRead>& axes);

class Pieces {
 public:
  // Zeros in all of the buffer. Says whether nothing was there.
  bool add_zeros();
  // A sum. If it adds to what is there, that must be zeros or a piece in the same place; otherwise
  // nothing may be there. Says whether it is so.
  bool add(model::Builder& builder, Box box, bool adds);
  // Concatenations of the pieces, zeros elsewhere. An invalid value if a part was never written or
  // if the pieces do not come apart by straight cuts.
  model::Value whole(model::Builder& builder, const model::Ints& dims) const;

 private:
  std::vector<Box> boxes_;
  bool has_zeros_ = false;
};

}  // namespace cambium::spaces::loopnest
