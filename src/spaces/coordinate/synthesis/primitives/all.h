// The rows of all primitives. They drive enumeration and generate docs/spaces/primitives.md.
#pragma once

#include <span>
#include <string>

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

// In the order of PrimitiveKind.
std::span<const Primitive* const> primitives();
const Primitive& row(PrimitiveKind kind);
std::string primitives_page();

// Appends the steps of all primitives but REDUCE that respect the limits on counts and chains.
// Rules are checked separately, by `forbidding` (rules/rules.h).
void offer_views(Space& space, const State& state, Steps& steps);
// The same for one primitive: whether limits still allow it as such a step, and its steps.
bool is_view(const Space& space, const State& state, const Primitive& primitive);
void offer(Space& space, const State& state, const Primitive& primitive, Steps& steps);
void offer_reductions(Space& space, const State& state, Steps& steps);
// Takes a step that was offered; `apply` interns the state that it leads to.
void take(Space& space, const Step& step, State& state);
StateId apply(Space& space, const State& state, const Step& step);

// `SPLIT(o1, r0:k)`.
std::string text(const Space& space, const Step& step);

}  // namespace cambium::spaces::coordinate::synthesis
