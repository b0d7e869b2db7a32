// Studies and messages to other processes are JSON, which holds only UTF-8. Any other text would
// arrive changed, and a path would name another file. So texts are checked before any work begins.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::engine {

// Refuses BadOption for the first text or name that is not UTF-8, and says where it is.
Status check_utf8(const nlohmann::json& texts);

}  // namespace cambium::engine
