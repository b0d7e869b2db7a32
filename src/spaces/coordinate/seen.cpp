#include "spaces/coordinate/seen.h"

namespace cambium::spaces::coordinate {

Result<bool> SeenOperators::add(const Operator& op) {
  CAMBIUM_TRY(const std::uint64_t first, hasher_.first_hash(op));
  const auto [place, is_first] = first_.try_emplace(first, op);
  if (is_first) {
    ++count_;
    return true;
  }
  if (place->second) {
    CAMBIUM_TRY(const Fingerprint other, hasher_.fingerprint(*place->second, first));
    told_.insert(other);
    place->second.reset();
  }
  CAMBIUM_TRY(const Fingerprint own, hasher_.fingerprint(op, first));
  const bool is_new = told_.insert(own).second;
  count_ += is_new ? 1 : 0;
  return is_new;
}

}  // namespace cambium::spaces::coordinate
