// The precompiled header of the LLVM classes that build code. No other folder includes LLVM.
// Frequent names of LLVM are imported; the others keep the prefix llvm::.
#pragma once

#include <cstdint>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

namespace cambium::codegen {

using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;
using IrBuilder = llvm::IRBuilder<>;

// An address as part of a key: expressions, values and buffers are identified by address.
inline std::uint64_t word(const void* pointer) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace cambium::codegen
