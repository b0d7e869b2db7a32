// The rules that may end brief trainings of a search early. Refuses BadOption. Called before a
// search begins and by the evaluator that trains.
#pragma once

#include <string>

#include "base/result.h"

namespace cambium::engine {

// A rule must decide from the job alone, because trainings end in any order.
Status check_stopping(const std::string& rule);

}  // namespace cambium::engine
