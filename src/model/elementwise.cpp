#include "model/elementwise.h"

#include <iterator>

namespace cambium::model {

#define CAMBIUM_NAMED(Enum, LIST)                                     \
  std::string_view name_of(Enum fn) {                                 \
    static constexpr std::string_view kNames[] = {LIST(CAMBIUM_X)};   \
    return kNames[static_cast<std::size_t>(fn)];                      \
  }                                                                   \
  template <>                                                         \
  std::optional<Enum> enumerator_named<Enum>(std::string_view name) { \
    static constexpr std::string_view kNames[] = {LIST(CAMBIUM_X)};   \
    for (std::size_t i = 0; i < std::size(kNames); ++i) {             \
      if (kNames[i] == name) return static_cast<Enum>(i);             \
    }                                                                 \
    return std::nullopt;                                              \
  }

#define CAMBIUM_X(enumerator, name) name,
CAMBIUM_NAMED(UnaryFn, CAMBIUM_FOR_EACH_UNARY)
CAMBIUM_NAMED(ActivationFn, CAMBIUM_FOR_EACH_ACTIVATION)
CAMBIUM_NAMED(BinaryFn, CAMBIUM_FOR_EACH_BINARY)
CAMBIUM_NAMED(ReduceFn, CAMBIUM_FOR_EACH_REDUCE)
CAMBIUM_NAMED(PoolFn, CAMBIUM_FOR_EACH_POOL)
CAMBIUM_NAMED(PadMode, CAMBIUM_FOR_EACH_PAD_MODE)
#undef CAMBIUM_X
#undef CAMBIUM_NAMED

}  // namespace cambium::model
