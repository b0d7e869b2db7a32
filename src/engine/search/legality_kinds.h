// Counts which kinds of steps legality refuses: for each kind, how many candidates of a study have
// a step of this kind, and what their verdicts were. A candidate that changes many layers has most
// kinds, so the layers with such a step are counted too. Refuses what the store refuses. Called by
// `cambium search`, `cambium study list` and reports.
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

// The kinds of the steps of an edit, each once; none if its space has no steps (spaces/kind.h).
using StepKinds = std::function<std::vector<std::string>(const spaces::Edit&)>;
StepKinds known_step_kinds();

// A candidate that several searches of a study judged counts as illegal if it is illegal for one of
// them.
Result<LegalityByKind> legality_by_kind(store::StudyStore& study, const StepKinds& kinds);
// Counts the candidates of a study file. No candidate is judged if no search asked for legality.
Result<LegalityByKind> legality_by_kind(const std::string& study);

nlohmann::json to_json(const LegalityByKind& found);

}  // namespace cambium::engine
