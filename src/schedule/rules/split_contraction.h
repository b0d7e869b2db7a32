// Splits the reduction of a contraction: parts of its longest loop are summed separately and then
// added. In blocks, the parts are added to the result one after another, so that the data of a part
// stays in a near cache (K-blocking). Side by side, all parts are kept and added at the end, so
// that threads have work to share if results are few (split-K). Used by contraction-tile.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

enum class Sums : std::uint8_t { Whole, InBlocks, SideBySide };

struct SplitReduction {
  Sums how = Sums::Whole;
  std::string partial;  // the block that sums a part; it is the contraction from now on
  std::string parts;  // the loop over parts of the block that adds them; this block keeps its name
};

// Decides between the two ways, and the length of a part, if one of them may be faster. Preferred:
// not to split the reduction. Refuses what Split, Reorder and RFactor refuse.
Result<SplitReduction> split_reduction(Draft& draft, const std::string& block);

}  // namespace cambium::schedule
