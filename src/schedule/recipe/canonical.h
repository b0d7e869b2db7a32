// The document in which a function is written: one for each function of a convolution, so that two
// documents of one function become one text. Numbers are written as parts of the loop that they
// cut (`Co/2`), so that equal choices at layers of different widths have one text too.
#pragma once

#include <optional>
#include <string>

#include "schedule/recipe/function.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {

// The sizes that a document may use: N, G (groups), Co and Ci (channels of a group), D, H, W (of
// the output), KD, KH, KW; those that the nest has a loop for. `loops` are the loops of its normal
// form.
struct NestSizes {
  NamedSizes named;
  std::int64_t of(std::string_view name) const;  // 1 of an unknown one
};
// Of a normalized block. Refuses UnknownName.
Result<NestSizes> sizes_of(const Program& program, std::string_view block);

// Nothing for a function outside of the forms that it can write: rows or taps that are cut within
// a split, or channels that overlap. Empty for the original function.
std::optional<std::string> canonical_document(const Function& function, const Function& original,
                                              const NestSizes& sizes);

}  // namespace cambium::schedule
