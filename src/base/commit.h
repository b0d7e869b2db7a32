// The commit that a program was built from, recorded with its measurements. It is a separate
// library (cambium_commit), linked only by programs, because it is rebuilt with every build.
#pragma once

#include <string_view>

namespace cambium {

std::string_view commit();  // "unknown" outside of a repository; with a + if files were changed

}  // namespace cambium
