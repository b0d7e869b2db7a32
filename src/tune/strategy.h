// A strategy: decides which schedules of a task are tried next, from all that is known. It runs on
// every space of schedules, since all it does is want decisions. Each stands in a file of its own
// under strategies/; make_strategy knows them by name. Called by the tuner, in one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "tune/cost_model.h"
#include "tune/history.h"

namespace cambium::tune {

struct Ask {
  Generator& generator;
  const History& history;
  const CostModel* model;  // nullptr: candidates are ordered by nothing
  Rng rng;
  std::size_t count;  // how many are wanted
  double spent;       // share of the budget that is gone, 0 to 1
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most `count`, none twice and none of those taken, the most promising first. None: the space
  // has no more.
  virtual std::vector<Individual> propose(Ask& ask) = 0;
};

// Refuses UnknownStrategy.
Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name);

// Gives each its score by the model; without one, all the same.
void score(const CostModel* model, std::span<Individual> individuals);

// Makes the wishes, and adds those that are neither taken nor in `seen` to `to`.
void make_fresh(Ask& ask, std::span<const schedule::DraftOptions> wishes, Taken& seen,
                std::vector<Individual>& to);

// Up to `count` more drawn from the space, by its own laws unless said otherwise. Gives up on a
// space that has hardly any more.
void draw_fresh(Ask& ask, std::size_t count, Taken& seen, std::vector<Individual>& to,
                schedule::Otherwise law = schedule::Otherwise::Drawn);

// Whether a strategy looks at nothing that was measured.
bool is_blind(std::string_view name);

}  // namespace cambium::tune
