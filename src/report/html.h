// Texts of others inside pages and scripts. Everything that a study holds passes one of these on
// its way out, so that no title, reason or host name becomes markup or code.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace cambium::report {

// Inside elements and quoted attributes. Control characters become visible signs: browsers differ
// in what they make of them.
std::string escaped(std::string_view text);

// JSON that may stand inside <script>: nothing in it ends the element or opens a comment.
std::string script_json(const nlohmann::json& value);

// One argument of a shell command line, quoted where it must be.
std::string shell_quoted(std::string_view argument);

}  // namespace cambium::report
