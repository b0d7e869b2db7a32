// Loads a relocatable ELF object for x86-64 into this process: lays out its sections in separate
// pages, applies relocations, and calls functions of libm through stubs (docs/decisions/0019). It
// trusts nothing in the object: refuses BadObject, and SymbolMissing if the kernel is not in it. It
// does not check what the code does.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace cambium::measure {

class ElfImage {
 public:
  static Result<ElfImage> load(std::string_view object);
  ElfImage(ElfImage&&) noexcept;
  ElfImage& operator=(ElfImage&&) noexcept;
  ~ElfImage();

  Result<void*> find(std::string_view symbol) const;  // finds a function that the object defines

 private:
  struct State;
  explicit ElfImage(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure
