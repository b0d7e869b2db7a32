// Move candidates: what may be tried as the next move of a document, from the loops of its nests.
// Nobody has replayed them; steps refuse some. Those behind a cut of the output channels are
// written when they are asked for, because a random walk asks for few of them.
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
  // The schedule holds what the document has made so far; it is used, and left as it is.
  MoveCandidates(Schedule& schedule, const Original& original, const MoveLimits& limits);

  std::size_t count() const { return count_; }
  // In a fixed order. Null: there is none of that number.
  const Move* at(std::size_t number);
  std::vector<Move> all();

 private:
  // The output channels of one nest in two, with groups in one of the parts.
  struct Cut {
    std::string loop;
    std::int64_t point = 1;
    std::size_t nest = 0;
    bool peels = false;  // groups are in the second part, and skip as many inputs
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
