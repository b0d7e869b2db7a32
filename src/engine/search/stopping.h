// The rules that may end brief trainings of a search early. Refuses BadOption. Called before a
// search begins and by the evaluator that trains.
#pragma once

#include <string>

#include "base/result.h"

namespace cambium::engine {

// The verdict of a rule must follow from the job alone, because candidates end in any order.
Status check_stopping(const std::string& rule);

}  // namespace cambium::engine
