// The commit that a benchmark was built from, for its document.
#pragma once

#include <string_view>

namespace cambium::bench {

std::string_view commit();  // "unknown" outside of a repository; with a + if files were changed

}  // namespace cambium::bench
