// Convolutions with an epilogue, as lowering writes them, after the documents that the papers name:
// groups, slabs, halves, bottlenecks. For the tests of rules and of the default schedule.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "program/context.h"
#include "program/program.h"

namespace cambium::schedule {

// A padded convolution of a square image, channels last, a bias, an addition and a ReLU.
struct FusedConv {
  std::int64_t size, in, out, kernel, stride;
  bool adds = true;  // another activation, behind the bias
};
program::Program fused_conv(program::Context& cx, const FusedConv& conv);

struct NamedDocument {
  std::string name;
  std::string text;
};
// Those that fit the convolution; the first is empty and changes nothing.
std::vector<NamedDocument> documents_for(const FusedConv& conv);

// The program that replaying a document leaves to the rules.
Result<program::Program> after_document(program::Context& cx, const FusedConv& conv,
                                        const NamedDocument& document);

}  // namespace cambium::schedule
