// Function: what a convolution computes after a document was applied, read from its normalized
// nests: which input channels each output channel sums over, with which taps and weights, at which
// rows and columns. It does not depend on how the steps were written. Two documents are equal if
// their functions are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// A loop over channels and its place values: channel = first + sum of place * digit. A loop that
// moves both channels is a group; otherwise it is an output or an input channel.
struct ChannelDigit {
  std::int64_t extent = 1;
  std::int64_t out = 0, in = 0;  // place values; 0: it does not move that channel

  friend bool operator==(const ChannelDigit&, const ChannelDigit&) = default;
};

// One nest: a range of output channels.
struct Piece {
  std::string weights;  // name of the parameter
  std::string source;   // what it reads: "x", or the number of the local that another nest fills
  std::int64_t target = 0;  // number of the buffer that it writes
  std::int64_t first_out = 0, first_in = 0;
  std::vector<ChannelDigit> digits;  // output channels first, larger places first
  Ints taps;                         // by axis of space
  std::int64_t weight_slabs = 1;     // slabs of rows with weights of their own
  std::int64_t channel_slabs = 1;    // slabs of rows among which the output channels are divided
  std::string space;                 // rows, columns and conditions, as index expressions
  // All accesses as text, where the numbers above do not tell which multiply-adds share an element
  // of the weights; empty where they do (accesses.h).
  std::string uses;

  std::int64_t outs() const;  // output channels that it computes (of a slab)
};

struct Function {
  std::int64_t outs = 0, ins = 0;  // channels of the result and of x
  std::vector<Piece> pieces;       // by first output channel
  Ints coarse;                     // by axis of space: how often each computed result is repeated
  std::string repetition;          // how exactly, as index expressions
};

// The function of a program with one input, lowered with the dimensions samples, channels, space in
// this order. `blocks` are the sums of products in normal form. Refuses NotAContraction if the
// channels of a nest are not digits, and SizeOutOfRange for more than a million channels.
Result<Function> function_of(Context& cx, const Program& program,
                             std::span<const std::string> blocks);

// Equal functions of one convolution have equal identities; others differ, except for collisions.
Fingerprint identity_of(const Function& function);

}  // namespace cambium::schedule
