#include <algorithm>

#include "program/analysis.h"
#include "program/coverage.h"
#include "program/prove.h"
#include "program/verify_rules.h"

namespace cambium::program {
namespace {

void check_bindings(Inspection& i, const Block& block) {
  std::vector<Expr> facts;
  add_conjuncts(i.cx, block.predicate, facts);
  for (std::size_t k = 0; k < block.bindings.size(); ++k) {
    const Iterator& it = block.body->iterators[k];
    const Within found = stays_within(i.cx, block.bindings[k], 0, it.extent(), facts);
    const std::string name(expr::name_of(it.axis));
    if (found.proof == Proof::No) {
      i.refuse(Rejection(Reason::BindingOutOfRange, std::string(block.name), name, found.value,
                         it.extent()));
    } else if (found.proof == Proof::Unknown) {
      i.not_proved(called(block), "iterator '" + name + "' stays in range");
    }
  }
}

void check_once(Inspection& i, const Site& site) {
  const Proof once = coverage_of(i.cx, site, i.home_of(site)).once;
  if (once == Proof::No) {
    i.refuse(Rejection(Reason::ComputedTwice, std::string(site.block->name)));
  } else if (once == Proof::Unknown) {
    i.not_proved(called(*site.block), "each point is computed once");
  }
}

void check_apart(Inspection& i, const Site& site) {
  const Proof apart = writes_apart(i.cx, site, i.home_of(site));
  if (apart == Proof::No) {
    i.refuse(Rejection(Reason::WritesCollide, std::string(site.block->name),
                       std::string(site.block->body->target->name)));
  } else if (apart == Proof::Unknown) {
    i.not_proved(called(*site.block), "its points write different elements");
  }
}

void check_reduction(Inspection& i, const Site& site) {
  const auto& iterators = site.block->body->iterators;
  const bool reduces = std::any_of(iterators.begin(), iterators.end(), [](const Iterator& it) {
    return it.kind == IteratorKind::Reduce;
  });
  if (!reduces) return;
  const Proof all = coverage_of(i.cx, site, i.home_of(site)).reduced;
  if (all == Proof::No) {
    i.refuse(Rejection(Reason::ReductionIncomplete, std::string(site.block->name)));
  } else if (all == Proof::Unknown) {
    i.not_proved(called(*site.block), "the reduction is complete");
  }
}

void check_bounds(Inspection& i, const Block& block) {
  for (const Access& access : accesses_of(i.cx, *block.body)) {
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const std::int64_t dim = access.buffer->dims[d];
      const Within found = stays_within(i.cx, access.indices[d], 0, dim, access.guards);
      if (found.proof == Proof::Yes) continue;
      const std::string what =
          "dimension " + std::to_string(d) + " of '" + std::string(access.buffer->name) + "'";
      if (found.proof == Proof::No) {
        i.refuse(
            Rejection(Reason::AccessOutOfBounds, std::string(block.name), what, found.value, dim));
      } else {
        i.not_proved(called(block), "the index of " + what + " stays inside");
      }
    }
  }
}

}  // namespace

void bindings_in_range(Inspection& i) {
  for (const Site& site : i.sites) {
    i.unless_known(i.sound(site), [&] { check_bindings(i, *site.block); });
  }
}

void points_once(Inspection& i) {
  for (const Site& site : i.sites) {
    i.unless_known(i.sound_at_home(site), [&] { check_once(i, site); });
  }
}

void writes_apart(Inspection& i) {
  for (const Site& site : i.sites) {
    i.unless_known(i.sound_at_home(site), [&] { check_apart(i, site); });
  }
}

void reductions_complete(Inspection& i) {
  for (const Site& site : i.sites) {
    i.unless_known(i.sound_at_home(site), [&] { check_reduction(i, site); });
  }
}

void accesses_in_bounds(Inspection& i) {
  for (const Site& site : i.sites) {
    i.unless_known(i.sound(site), [&] { check_bounds(i, *site.block); });
  }
}

}  // namespace cambium::program
