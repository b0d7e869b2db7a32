// Which kinds of steps legality refuses: of the candidates of a study, how many have a step of a
// kind, and what their verdicts were. Candidates that change many layers have most kinds, so the
// layers with such a step are counted, too. Refuses what the store refuses. Called by `cambium
// search`, `cambium study list` and reports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "spaces/candidate.h"
#include "store/study_store.h"
#include "study/legality_count.h"

namespace cambium::engine {

using study::LegalityByKind;
using study::LegalityCount;

// The kinds of the steps of an edit, each once; none where its space has none (spaces/kind.h).
using StepKinds = std::function<std::vector<std::string>(const spaces::Edit&)>;
StepKinds known_step_kinds();

// If several searches of a study judged a candidate, it is illegal for one of them or for none.
Result<LegalityByKind> legality_by_kind(store::StudyStore& study, const StepKinds& kinds);
// Of a file. Nothing is judged where no search asked for legality.
Result<LegalityByKind> legality_by_kind(const std::string& study);

nlohmann::json to_json(const LegalityByKind& found);

}  // namespace cambium::engine
