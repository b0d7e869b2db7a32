#include <algorithm>

#include "program/analysis.h"
#include "program/coverage.h"
#include "program/prove.h"
#include "program/verify_rules.h"

namespace cambium::program {

void bindings_in_range(Inspection& i) {
  for (const Site& site : i.sites) {
    const Block& block = *site.block;
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
}

void points_once(Inspection& i) {
  for (const Site& site : i.sites) {
    const Proof once = coverage_of(i.cx, site, home_of(i.sites, site.block->body->target)).once;
    if (once == Proof::No) {
      i.refuse(Rejection(Reason::ComputedTwice, std::string(site.block->name)));
    } else if (once == Proof::Unknown) {
      i.not_proved(called(*site.block), "each point is computed once");
    }
  }
}

void writes_apart(Inspection& i) {
  for (const Site& site : i.sites) {
    const Loop* home = home_of(i.sites, site.block->body->target);
    const Proof apart = writes_apart(i.cx, site, home);
    if (apart == Proof::No) {
      i.refuse(Rejection(Reason::WritesCollide, std::string(site.block->name),
                         std::string(site.block->body->target->name)));
    } else if (apart == Proof::Unknown) {
      i.not_proved(called(*site.block), "its points write different elements");
    }
  }
}

void reductions_complete(Inspection& i) {
  for (const Site& site : i.sites) {
    const auto& iterators = site.block->body->iterators;
    const bool reduces = std::any_of(iterators.begin(), iterators.end(), [](const Iterator& it) {
      return it.kind == IteratorKind::Reduce;
    });
    if (!reduces) continue;
    const Proof all = coverage_of(i.cx, site, home_of(i.sites, site.block->body->target)).reduced;
    if (all == Proof::No) {
      i.refuse(Rejection(Reason::ReductionIncomplete, std::string(site.block->name)));
    } else if (all == Proof::Unknown) {
      i.not_proved(called(*site.block), "the reduction is complete");
    }
  }
}

void accesses_in_bounds(Inspection& i) {
  for (const Site& site : i.sites) {
    for (const Access& access : accesses_of(i.cx, *site.block->body)) {
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        const std::int64_t dim = access.buffer->dims[d];
        const Within found = stays_within(i.cx, access.indices[d], 0, dim, access.guards);
        const std::string what =
            "dimension " + std::to_string(d) + " of '" + std::string(access.buffer->name) + "'";
        if (found.proof == Proof::No) {
          i.refuse(Rejection(Reason::AccessOutOfBounds, std::string(site.block->name), what,
                             found.value, dim));
        } else if (found.proof == Proof::Unknown) {
          i.not_proved(called(*site.block), "the index of " + what + " stays inside");
        }
      }
    }
  }
}

}  // namespace cambium::program
