// Direct evaluation: the meaning of an operator. It visits every point of the outputs and
// reductions and computes every index from its definition. It is deliberately simple, because
// everything else is compared with it. Elements are float, double (both summed in double) or
// FieldElement (field.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/field.h"

namespace cambium::spaces::coordinate {

// Y[o] = sum over r of X[data] * W1[...] * W2[...] ..., divided by op.averaged. A term is zero if
// one of its UNFOLDs falls outside its domain. Tensors are row-major in the order of their axes.
// Refuses (WrongArgument) tensors with a wrong number of elements.
template <class T>
Result<std::vector<T>> evaluate(const BoundOperator& op, std::span<const T> input,
                                std::span<const std::vector<T>> weights);
// Only the output elements at these places, counted row-major: for outputs that take too long as a
// whole. Also refuses (WrongArgument) places that the output does not have.
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
