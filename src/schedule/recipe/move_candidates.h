// Move candidates: the moves that may be tried next for a document, listed from the loops of its
// nests. They have not been replayed, so steps may refuse some. Candidates that cut the output
// channels are written only on request, because a random walk requests few of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/recipe/document.h"
#include "schedule/recipe/moves.h"

namespace cambium::schedule {

class MoveCandidates {
 public:
  // `schedule` holds what the document has made so far. It is used for trials and left unchanged.
  MoveCandidates(Schedule& schedule, const Original& original, const MoveLimits& limits);

  std::size_t count() const { return count_; }
  // The candidate of that number, in a fixed order. Null: there is none.
  const Move* at(std::size_t number);
  std::vector<Move> all();

 private:
  // Divides the output channels of one nest into two parts, with groups in one of them.
  struct Cut {
    std::string loop;
    std::int64_t point = 1;
    std::size_t nest = 0;
    bool peels = false;  // the groups are in the second part and skip as many input channels as the
                         // first part has
    std::size_t count = 0;
    std::optional<std::vector<Move>> moves = {};
  };
  const std::vector<Move>& moves_of(Cut& cut);

  Schedule& schedule_;
  const Original& original_;
  const MoveLimits limits_;
  std::vector<Move> direct_;
  std::vector<Cut> cuts_;
  std::size_t count_ = 0;
};

}  // namespace cambium::schedule
