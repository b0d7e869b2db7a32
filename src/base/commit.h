// The commit that a program was built from, for what it measures and keeps. A library of its own
// (cambium_commit), linked by programs: it is made with every build, and nothing else should be.
#pragma once

#include <string_view>

namespace cambium {

std::string_view commit();  // "unknown" outside of a repository; with a + if files were changed

}  // namespace cambium
