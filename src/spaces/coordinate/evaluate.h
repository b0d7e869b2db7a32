// Direct evaluation: what an operator means. Every point of the outputs and reductions is visited,
// every index computed from its definition; nothing is clever, everything else is compared to this.
// Over float, double (sums in double) and the field of field.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/field.h"

namespace cambium::spaces::coordinate {

// Y[o] = sum over r of X[data] * W1[...] * W2[...] ..., divided by op.averaged; terms whose UNFOLDs
// fall outside of their domains are zero. Tensors are row-major in the order of their axes.
// Refuses (WrongArgument) tensors of the wrong number of elements.
template <class T>
Result<std::vector<T>> evaluate(const BoundOperator& op, std::span<const T> input,
                                std::span<const std::vector<T>> weights);
// Of the output only the elements at these places, counted row-major: for whoever cannot wait for
// all. Refuses (WrongArgument) also places that the output does not have.
Result<std::vector<double>> evaluate_at(const BoundOperator& op, std::span<const double> input,
                                        std::span<const std::vector<double>> weights,
                                        std::span<const std::int64_t> places);

extern template Result<std::vector<float>> evaluate(const BoundOperator&, std::span<const float>,
                                                    std::span<const std::vector<float>>);
extern template Result<std::vector<double>> evaluate(const BoundOperator&, std::span<const double>,
                                                     std::span<const std::vector<double>>);
extern template Result<std::vector<FieldElement>> evaluate(
    const BoundOperator&, std::span<const FieldElement>,
    std::span<const std::vector<FieldElement>>);

}  // namespace cambium::spaces::coordinate
