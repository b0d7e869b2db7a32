// JSON inside a script of a page. Refuses nothing.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cambium::report {

// Safe inside <script>: nothing in it ends the element or opens a comment.
std::string script_json(const nlohmann::json& value);

}  // namespace cambium::report
