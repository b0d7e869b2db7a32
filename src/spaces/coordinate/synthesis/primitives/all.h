// The list of primitives: it drives enumeration and generates docs/spaces/primitives.md.
#pragma once

#include <span>
#include <string>

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

// In the order of PrimitiveKind.
std::span<const Primitive* const> primitives();
const Primitive& row(PrimitiveKind kind);
std::string primitives_page();

// One step of views: nothing above a limit is offered, strides that could no longer be used up and
// chains that are too long included; rules are asked by `forbidding` (rules/rule_set.h).
void offer_views(Space& space, const State& state, Steps& steps);
// The same of one primitive: whether it is a view that limits still allow, and its steps.
bool is_view(const Space& space, const State& state, const Primitive& primitive);
void offer(Space& space, const State& state, const Primitive& primitive, Steps& steps);
void offer_reductions(Space& space, const State& state, Steps& steps);
StateId apply(Space& space, const State& state, const Step& step);

// `SPLIT(o1, r0:k)`.
std::string text(const Space& space, const Step& step);

}  // namespace cambium::spaces::coordinate::synthesis
