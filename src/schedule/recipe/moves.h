// Moves: the legal ways to extend a document by one neural step, together with the interchange,
// split and partition that the step needs. Random walks and lists of documents consist of moves.
// Two kinds of steps are not moves: a bottleneck of taps, because it would shift the image, and
// interleaved outputs, because they only permute the channels of y.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "schedule/recipe/document.h"
#include "schedule/recipe/replay.h"

namespace cambium::schedule {

struct MoveLimits {
  std::int64_t most_factor = 8;  // of a bottleneck, slabs or groups
  bool narrows_outputs = false;  // bottleneck of output channels, which changes the interface
  bool slabs = true;             // group_slabs and group_channels
  bool space = true;             // bottlenecks of rows and columns
  bool separates = true;         // one nest into two
  bool interleaves = true;       // groups of every G-th channel
};

struct Move {
  Trace steps;                // to append to the document
  std::string kind;           // "group", "input bottleneck" ...: for statistics and labels
  std::string label;          // the kind with loop and factor: "group co 4"
  Fingerprint function = {};  // identity of the resulting function, if it was replayed
};

// All moves, always in the same order. Each was replayed and accepted, and no two lead to the same
// function. Empty if the document itself is refused.
std::vector<Move> moves_from(Context& cx, const Program& program, std::string_view block,
                             const Trace& document, const MoveLimits& limits);

// A document that grows move by move. It is not replayed from its first step each time.
class Walk {
 public:
  // The original must live as long. Refuses what the document refuses.
  static Result<Walk> from(Context& cx, const Original& original, const Trace& document = {});

  const Trace& document() const { return document_; }
  std::vector<Move> moves(const MoveLimits& limits);
  // A random move, all equally likely; faster than listing them. Nothing if there is none.
  std::optional<Move> random(const MoveLimits& limits, Rng& rng);
  // Appends a move that one of these functions returned.
  Status take(const Move& move);

 private:
  Walk(Context& cx, const Original& original, Schedule schedule)
      : cx_(&cx), original_(&original), schedule_(std::move(schedule)) {}
  std::optional<Fingerprint> identity_after(const Move& move);

  Context* cx_;
  const Original* original_;
  Schedule schedule_;  // normalized, then the steps of the document
  Trace document_;
};

}  // namespace cambium::schedule
