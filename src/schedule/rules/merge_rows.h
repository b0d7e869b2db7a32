// Merges rows and columns of an image into one iterator of pixels, in a contraction, its epilogue
// and the buffer between them. A register tile is then full for any width of the image.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// Refuses NotAContraction, NotNested (there is one row iterator, or the epilogue reads them
// otherwise), and what the steps refuse; the draft may then be half changed.
Status merge_rows(Draft& draft, const std::string& block, const std::string& epilogue);

// For each dimension of the buffer: the iterator of the reader that indexes it alone.
std::optional<std::size_t> iterator_at(const program::Block& reader, const program::Buffer* buffer,
                                       std::size_t dimension);

}  // namespace cambium::schedule
