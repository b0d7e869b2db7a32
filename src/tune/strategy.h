// A strategy decides which schedules of a task to try next, from everything that is known. It works
// on every space of schedules, because it only chooses wanted decisions. Each strategy is a file in
// strategies/; make_strategy finds them by name. Called by the tuner in one thread.
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
  const CostModel* model;  // nullptr: candidates have no order
  Rng rng;
  std::size_t count;  // number of candidates wanted
  double spent;       // spent share of the budget, 0 to 1
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most `count` candidates, none twice and none that is taken, the most promising first. None:
  // the space has no more.
  virtual std::vector<Individual> propose(Ask& ask) = 0;
};

// Refuses UnknownStrategy.
Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name);

// Sets the score of each by the model; without a model, all scores are equal.
void score(const CostModel* model, std::span<Individual> individuals);

// Makes the wished candidates, and adds those that are neither taken nor in `seen` to `to`.
void make_fresh(Ask& ask, std::span<const schedule::DraftOptions> wishes, Taken& seen,
                std::vector<Individual>& to);

// Draws up to `count` more from the space, by its own laws unless `law` says otherwise. Gives up on
// a space with hardly any more candidates.
void draw_fresh(Ask& ask, std::size_t count, Taken& seen, std::vector<Individual>& to,
                schedule::Otherwise law = schedule::Otherwise::Drawn);

// Whether a strategy ignores all measurements.
bool is_blind(std::string_view name);

}  // namespace cambium::tune
