// Annotate: sets an annotation of a loop, a block or a buffer. Hint in program/functions.h lists
// the annotations that code generation knows. Prefetch annotates a block, so that it requests the
// data it reads `distance` iterations of its innermost serial loop later. Refuse UnknownName,
// UnknownHint.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

enum class Part : std::uint8_t { Loop, Block, Buffer };

struct Annotate {
  static constexpr const char* kName = "annotate";
  Part part = Part::Loop;
  std::string name;
  std::string key;
  std::string text;         // for hints that take a text
  std::int64_t number = 0;  // for those that take a number
  CAMBIUM_FIELDS(f("part", s.part), f("name", s.name), f("key", s.key), f("text", s.text),
                 f("number", s.number))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

struct Prefetch {
  static constexpr const char* kName = "prefetch";
  std::string block;
  std::int64_t distance = 1;
  CAMBIUM_FIELDS(f("block", s.block), f("distance", s.distance))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
