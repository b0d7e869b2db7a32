// Walks: random documents. A walk makes one of a few neural moves, each drawn from those that are
// legal after the ones before. The paper's sequences are drawn with the numbers of its authors'
// release. Refuses nothing: where no move is left, a walk ends.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/options.h"
#include "spaces/loopnest/variants.h"

namespace cambium::spaces::loopnest {

// Takes at most `moves` moves from a variant of the layer. Returns the variant itself if many draws
// find nothing that fits. Adds the moves to the trail, if one is given.
const Variant* walk(const Draft& draft, const Layer& layer, const Variant& from, int moves,
                    Rng& rng, std::vector<schedule::Move>* trail = nullptr);

// One of the paper's sequences, as a name of the catalogue with numbers. If all numbers are 1, it
// is the original.
std::string random_sequence(Rng& rng);
// A sequence that fits the layer; null if many draws give none.
const Variant* published(const Draft& draft, const Layer& layer, Rng& rng);

// The variant that a sample puts at a layer, if any: usually a walk from the original, sometimes a
// sequence.
const Variant* drawn(const Draft& draft, const Layer& layer, const LoopNestOptions& options,
                     Rng& rng);

}  // namespace cambium::spaces::loopnest
