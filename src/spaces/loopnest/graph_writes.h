// Pieces: the parts of one buffer that blocks have written so far, and the whole buffer that they
// form.
#pragma once

#include <optional>
#include <vector>

#include "model/builder.h"
#include "spaces/loopnest/graph_reads.h"

namespace cambium::spaces::loopnest {

// A part of a buffer; it has the same rank.
struct Box {
  model::Ints begin, extent;
  model::Value value;

  std::int64_t end(std::size_t d) const { return begin[d] + extent[d]; }
};

// Whether the loops write consecutive elements of an axis.
bool is_dense(const AxisRead& axis);
// Turns a value with an axis for each loop into the part of a buffer that these loops write, with
// zeros in gaps. Nothing if the loops are not digits of a mixed-radix number.
std::optional<model::Value> spread_out(model::Builder& builder, model::Value value,
                                       const std::vector<AxisRead>& axes);

class Pieces {
 public:
  // Fills the whole buffer with zeros. Returns whether it was empty.
  bool add_zeros();
  // Adds a sum. If `adds` is set, it is added to zeros or to a piece of the same box; otherwise its
  // box must be empty. Returns whether that holds.
  bool add(model::Builder& builder, Box box, bool adds);
  // The concatenation of the pieces, with zeros elsewhere. An invalid value if a part was never
  // written, or if straight cuts do not separate the pieces.
  model::Value whole(model::Builder& builder, const model::Ints& dims) const;

 private:
  std::vector<Box> boxes_;
  bool has_zeros_ = false;
};

}  // namespace cambium::spaces::loopnest
