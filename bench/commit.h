// The commit that a benchmark was built from, for its document.
#pragma once

#include "base/commit.h"

namespace cambium::bench {

using cambium::commit;

}  // namespace cambium::bench
