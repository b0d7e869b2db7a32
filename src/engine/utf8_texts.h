// What is kept in a study or handed to another process goes as JSON, which holds UTF-8 alone: any
// other text would arrive as another one, and a path as that of another file. Called before
// anything is begun.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::engine {

// Refuses BadOption for the first text or name in it that is not UTF-8, and says where it stands.
Status check_utf8(const nlohmann::json& texts);

}  // namespace cambium::engine
