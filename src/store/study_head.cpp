#include "store/study_head.h"

#include <fmt/format.h>

namespace cambium::store {
namespace {

// clang-format off
constexpr const char* kHead = "SELECT base, model, data, options, revision FROM study";
constexpr const char* kSetHead =
    "INSERT INTO study(one, base, model, data, options, revision) VALUES(1, ?, ?, ?, ?, ?)";
constexpr const char* kSetSearch =
    "INSERT INTO searches(name, folded, state) VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
    " SET folded = excluded.folded, state = excluded.state WHERE excluded.folded >= folded";
// A search that has just begun has no state.
constexpr const char* kSearch = "SELECT folded, state FROM searches WHERE name = ? AND state <> ''";
constexpr const char* kSearches = "SELECT name FROM searches ORDER BY rowid";
constexpr const char* kSetOptions =
    "INSERT INTO searches(name, folded, state, options) VALUES(?, 0, '', ?)"
    " ON CONFLICT(name) DO UPDATE SET options = excluded.options";
constexpr const char* kOptions = "SELECT options FROM searches WHERE name = ? AND options <> ''";
// clang-format on

std::string subject_of(const StudyHead& head) {
  return fmt::format("model '{}' ({}) and data '{}'", head.model, head.base.text().substr(0, 8),
                     head.data);
}

}  // namespace

Result<std::optional<StudyHead>> find_head(Connection& db) {
  Query query(db, kHead);
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<StudyHead>();
  return std::optional(
      StudyHead{query.fingerprint(0), query.text(1), query.text(2), query.text(3), query.text(4)});
}

Status agree_on_head(Connection& db, const StudyHead& head) {
  CAMBIUM_TRY(const std::optional<StudyHead> there, find_head(db));
  if (!there.has_value()) {
    return Query(db, kSetHead, head.base, head.model, head.data, head.options, head.commit).run();
  }
  if (there->base == head.base && there->data == head.data) return Ok{};
  return Rejection(Reason::StudyDiffers, db.path(),
                   fmt::format("{}, not of {}", subject_of(*there), subject_of(head)));
}

Status set_search(Connection& db, const std::string& name, const SearchState& state) {
  return Query(db, kSetSearch, name, state.folded, state.state).run();
}

Result<std::optional<SearchState>> find_search(Connection& db, const std::string& name) {
  Query query(db, kSearch, name);
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<SearchState>();
  return std::optional(SearchState{query.integer(0), query.text(1)});
}

Status set_search_options(Connection& db, const std::string& name, const std::string& options) {
  return Query(db, kSetOptions, name, options).run();
}

Result<std::optional<std::string>> find_search_options(Connection& db, const std::string& name) {
  Query query(db, kOptions, name);
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<std::string>();
  return std::optional(query.text(0));
}

Result<std::vector<std::string>> search_names(Connection& db) {
  std::vector<std::string> names;
  Query query(db, kSearches);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return names;
    names.push_back(query.text(0));
  }
}

}  // namespace cambium::store
