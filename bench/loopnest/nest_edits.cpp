#include "loopnest/nest_edits.h"

#include <vector>

#include "model/target.h"
#include "spaces/candidate.h"
#include "spaces/loopnest/space.h"
#include "spaces/space.h"

namespace cambium::bench {

Result<engine::Spaces> nest_space(const model::Model& base, const std::string& targets) {
  CAMBIUM_TRY(const std::vector<model::Target> selected, model::select(base, targets));
  engine::Spaces spaces;
  CAMBIUM_TRY(spaces.emplace_back(), spaces::loopnest::LoopNestSpace::make(base, selected));
  return spaces;
}

Result<model::Model> with_document(const model::Model& base, const std::string& targets,
                                   const std::string& written) {
  if (written.empty()) return base;
  CAMBIUM_TRY(const engine::Spaces spaces, nest_space(base, targets));
  CAMBIUM_TRY(const spaces::Candidate candidate, engine::candidate_of(spaces, base, written));
  return spaces::apply(base, candidate, engine::pointers(spaces));
}

}  // namespace cambium::bench
