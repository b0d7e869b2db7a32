// A relocatable ELF object made executable in this process: sections laid out in pages of their
// own, relocations applied, functions of libm reached through stubs. For x86-64. Nothing in the
// object is trusted: refuses BadObject, and SymbolMissing when the kernel is not in it. What the
// code then does is not judged here; the runner calls it.
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

  Result<void*> find(std::string_view symbol) const;  // a function that the object defines

 private:
  struct State;
  explicit ElfImage(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure
