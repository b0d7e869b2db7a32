// Every reason for which Cambium refuses something, in one list. The enum, the texts, docs/reasons.md
// and the test that each reason is provoked somewhere all come from it.
//
// X(Name, "text"): {a} {b} {c} stand for the numbers of the rejection, {s} {t} for its texts.
// Append to the group of the folder that refuses.
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off
#define CAMBIUM_FOR_EACH_REASON(X)                                                              \
  /* base */                                                                                    \
  X(NotFound,            "{s} does not exist")                                                  \
  X(Unreadable,          "{s} cannot be read: {t}")                                             \
  X(Unwritable,          "{s} cannot be written: {t}")                                          \
  X(WrongFileSize,       "{s} holds {a} bytes, expected {b}")                                   \
  X(BadSyntax,           "line {a}, column {b}: expected {s}, found {t}")                       \
  X(BadOption,           "{s}: {t}")                                                            \
  X(Unavailable,         "{s} is not in this build: {t}")
// clang-format on

namespace cambium {

enum class Reason : std::uint16_t {
#define CAMBIUM_X(name, text) name,
  CAMBIUM_FOR_EACH_REASON(CAMBIUM_X)
#undef CAMBIUM_X
};

std::string_view name_of(Reason reason);
std::string_view text_of(Reason reason);  // the template, before numbers and texts are filled in

}  // namespace cambium
