// Internal to View: one function per kind of movement. Each changes the view and returns whether it
// could. A view with a failed step is discarded.
#pragma once

#include <span>

#include "model/recognize/view.h"

namespace cambium::model::recognition {

bool reshape_view(View& view, const Ints& dims);
void transpose_view(View& view, const Ints& perm);
bool expand_view(View& view, const Ints& dims);
void tile_view(View& view, const Ints& repeats);
// Axis `dim` reads start, start + step, ... instead of 0, 1, ...
bool slice_view(View& view, std::size_t dim, std::int64_t start, std::int64_t step,
                std::int64_t extent);
// Replaces axis `dim` by axes `dims` that read these positions of it.
bool select_view(View& view, std::size_t dim, const Ints& places, const Ints& dims);
// The same for the positions that steps describe, without a table of them if they never carry from
// one atom of the axis to the next.
bool select_view(View& view, std::size_t dim, std::span<const Step> steps, const Ints& dims);
bool pad_view(View& view, std::size_t dim, std::int64_t before, std::int64_t after, double fill);
// Joins equal pieces of one base, each a constant step after the last.
std::optional<View> join_views(std::span<const View* const> pieces, std::size_t dim);

}  // namespace cambium::model::recognition
