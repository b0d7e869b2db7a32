// PadToMultiple: extends an iterator of a block to a multiple, so that tiles have no tail. A
// spatial iterator must index a local, whose dimension grows with it. Loads of new points outside
// their buffers give 0. New points of a reduction contribute nothing. Makes nothing. Refuses
// UnknownName, NotLocal, BadFactors, BufferTooLarge, NotElementwise (the iterator is not itself an
// index of the target), and LoopNotPlain unless the iterator has one plain loop of its own.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct PadToMultiple {
  static constexpr const char* kName = "pad_to_multiple";
  std::string block;
  std::string iterator;
  std::int64_t multiple = 1;
  CAMBIUM_FIELDS(f("block", s.block), f("iterator", s.iterator), f("multiple", s.multiple))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
