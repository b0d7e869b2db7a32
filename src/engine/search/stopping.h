// Which rules may end the brief trainings of a search early. Refuses BadOption. Asked before a
// search begins and by whoever trains.
#pragma once

#include <string>

#include "base/result.h"

namespace cambium::engine {

// What a rule of a search says must follow from the job alone: candidates end in no order that a
// search knows.
Status check_stopping(const std::string& rule);

}  // namespace cambium::engine
