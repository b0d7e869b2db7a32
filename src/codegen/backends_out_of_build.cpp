#include "base/features.h"
#include "codegen/codegen.h"

namespace cambium::codegen {

Result<const Backend*> backend_for(const Machine&) {
  return require_feature("llvm").rejection();
}

}  // namespace cambium::codegen
