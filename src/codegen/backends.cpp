#include "codegen/codegen.h"
#include "codegen/llvm/llvm_backend.h"

namespace cambium::codegen {

// LLVM compiles for every machine of base/machine.h.
Result<const Backend*> backend_for(const Machine&) {
  return &llvm_backend();
}

}  // namespace cambium::codegen
