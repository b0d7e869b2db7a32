#include "search/claims.h"

#include <chrono>

#include "search/owner.h"

namespace cambium::search {
namespace {

// A claim ends when it was not renewed for so long.
constexpr double kClaimSeconds = 60;
constexpr double kRenewSeconds = 15;
constexpr double kLookSeconds = 0.5;

}  // namespace

double seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Claims::Claims(store::StudyStore& study) : study_(study), owner_(new_owner()) {}

Claims::~Claims() {
  let_go();
}

void Claims::let_go() {
  (void)study_.let_go(owner_);
}

Result<Claims::Right> Claims::claim(const store::EvaluationKey& key) {
  const double now = seconds_since_1970();
  CAMBIUM_TRY(store::Claim claim, study_.claim(key, owner_, now, now + kClaimSeconds));
  if (!claim.is_answered && claim.owner != owner_ && is_gone(claim.owner)) {
    CAMBIUM_REQUIRE(study_.let_go(claim.owner));
    CAMBIUM_TRY(claim, study_.claim(key, owner_, now, now + kClaimSeconds));
  }
  if (claim.is_answered) return Right::Answered;
  return claim.owner == owner_ ? Right::Ours : Right::Foreign;
}

Status Claims::renew() {
  const double now = seconds_since_1970();
  if (now - renewed_ <= kRenewSeconds) return Ok{};
  renewed_ = now;
  return study_.renew_claims(owner_, now + kClaimSeconds);
}

bool Claims::is_time_to_look() {
  const double now = seconds_since_1970();
  if (now - looked_ < kLookSeconds) return false;
  looked_ = now;
  return true;
}

}  // namespace cambium::search
