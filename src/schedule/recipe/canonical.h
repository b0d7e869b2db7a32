// Canonical documents: one document for each function of a convolution. Two documents of one
// function become one text. Numbers are written as parts of the loop that they divide (`Co/2`), so
// equal choices at layers of different widths also have one text.
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

// Empty for the original function. Nothing for a function that it cannot write: with rows or taps
// that are cut within a split, or with overlapping channels.
std::optional<std::string> canonical_document(const Function& function, const Function& original,
                                              const NestSizes& sizes);

}  // namespace cambium::schedule
