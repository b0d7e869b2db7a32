// A program that many may hold and nobody changes. It lives in its own context, to which nothing is
// added, so several threads may read it at once. To change it, clone it into your own context
// (clone.h).
#pragma once

#include <memory>
#include <string>

#include "program/context.h"

namespace cambium::program {

class SharedProgram {
 public:
  SharedProgram() = default;  // holds no program
  explicit SharedProgram(const Program& program);

  const Program& operator*() const { return own_->program; }
  const Program* operator->() const { return &own_->program; }

 private:
  struct Own {
    Context cx;
    Program program;
  };
  std::shared_ptr<const Own> own_;
};

std::string to_text(const SharedProgram& program);

}  // namespace cambium::program
