#include "store/trial_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cambium::store {
namespace {

// clang-format off
constexpr const char* kAddKey =
    "INSERT INTO keys(program, machine, threads, codegen) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING";
constexpr const char* kKey =
    "SELECT id FROM keys WHERE program = ? AND machine = ? AND threads = ? AND codegen = ?";
constexpr const char* kKeys = "SELECT id, program, machine, threads, codegen FROM keys ORDER BY id";
constexpr const char* kKeyOf =
    "SELECT keys.id, program, machine, threads, codegen"
    " FROM trials JOIN keys ON keys.id = trials.key WHERE trials.id = ?";
constexpr const char* kAddTrial =
    "INSERT INTO trials(key, scheduled, trace, strategy, seed, number, reason, detail, features, rows,"
    " begun) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING";
constexpr const char* kBegin =
    "INSERT INTO trials(key, scheduled, trace, strategy, seed, number, reason, detail, features, rows,"
    " begun) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING";
constexpr const char* kTrialId = "SELECT id FROM trials WHERE key = ? AND scheduled = ?";
constexpr const char* kDropBegun =
    "DELETE FROM trials WHERE key = ? AND scheduled = ? AND begun > 0";
constexpr const char* kAddFeatures =
    "UPDATE trials SET features = ?, rows = ? WHERE id = ? AND rows = 0";
constexpr const char* kSetTrace = "UPDATE trials SET trace = ?1 WHERE id = ?2 AND trace <> ?1";
constexpr const char* kSetTime =
    "UPDATE trials SET compared = ?, seconds = ?, reason = '', detail = '' WHERE id = ?";
constexpr const char* kRefuse =
    "UPDATE trials SET compared = 0, seconds = NULL, reason = ?, detail = ? WHERE id = ?";
constexpr const char* kReason = "SELECT reason FROM trials WHERE id = ?";
constexpr const char* kDropSamples = "DELETE FROM samples WHERE trial = ?";
constexpr const char* kAddSample =
    "INSERT INTO samples(trial, number, protocol, seconds, spread, samples, error)"
    " VALUES(?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kSamples =
    "SELECT protocol, seconds, spread, samples, error FROM samples WHERE trial = ? ORDER BY number";
#define CAMBIUM_TRIAL \
    "SELECT id, scheduled, trace, strategy, seed, number, reason, detail, features, rows," \
    " begun FROM trials"
constexpr const char* kTrial = CAMBIUM_TRIAL " WHERE id = ?";
constexpr const char* kTrials = CAMBIUM_TRIAL " WHERE key = ? ORDER BY id";
constexpr const char* kBest =
    CAMBIUM_TRIAL
    " WHERE key = ? AND compared = ? AND seconds IS NOT NULL ORDER BY seconds LIMIT ?";
#undef CAMBIUM_TRIAL
// Hexadecimal digits all come before 'g'.
constexpr const char* kFind =
    "SELECT id FROM trials WHERE scheduled >= ? AND scheduled < ? ORDER BY id LIMIT 100";
// clang-format on

Result<std::vector<TuningSample>> samples_of(Connection& db, std::int64_t trial) {
  std::vector<TuningSample> samples;
  Query query(db, kSamples, trial);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return samples;
    samples.push_back({query.integer(0) == 0 ? Protocol::Rank : Protocol::Compare, query.real(1),
                       query.real(2), static_cast<int>(query.integer(3)), query.real(4)});
  }
}

Result<std::vector<Trial>> read_trials(Connection& db, Query& query) {
  std::vector<Trial> trials;
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return trials;
    Trial& trial = trials.emplace_back();
    trial.id = query.integer(0);
    trial.scheduled = query.fingerprint(1);
    trial.trace = query.text(2);
    trial.strategy = query.text(3);
    trial.seed = std::bit_cast<std::uint64_t>(query.integer(4));
    trial.number = query.integer(5);
    trial.reason = query.text(6);
    trial.detail = query.text(7);
    const std::span<const std::byte> features = query.blob(8);
    trial.features.resize(features.size() / sizeof(float));
    if (!trial.features.empty()) {
      std::memcpy(trial.features.data(), features.data(), trial.features.size() * sizeof(float));
    }
    trial.rows = query.integer(9);
    trial.is_begun = query.integer(10) != 0;
    CAMBIUM_TRY(trial.samples, samples_of(db, trial.id));
  }
}

TuningKey key_in(const Query& query) {
  return {query.fingerprint(1), query.fingerprint(2), static_cast<int>(query.integer(3)),
          query.text(4)};
}

Result<std::int64_t> find_or_add_key(Connection& db, const TuningKey& key) {
  CAMBIUM_REQUIRE(
      Query(db, kAddKey, key.program.text(), key.machine.text(), key.threads, key.codegen).run());
  return find_key(db, key);
}

Status insert(Connection& db, const char* sql, std::int64_t key, const Trial& trial) {
  return Query(db, sql, key, trial.scheduled.text(), trial.trace, trial.strategy,
               std::bit_cast<std::int64_t>(trial.seed), trial.number, trial.reason, trial.detail,
               std::as_bytes(std::span(trial.features)), trial.rows)
      .run();
}

Result<std::string> reason_of(Connection& db, std::int64_t id) {
  Query query(db, kReason, id);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.text(0) : std::string();
}

// Only samples that the trial lacks. Equal samples count as often as they occur.
Status join_samples(Connection& db, std::int64_t id, const std::vector<TuningSample>& samples) {
  CAMBIUM_TRY(std::vector<TuningSample> known, samples_of(db, id));
  std::vector<TuningSample> rest;
  for (const TuningSample& s : samples) {
    const auto found = std::find(known.begin(), known.end(), s);
    if (found == known.end()) {
      rest.push_back(s);
    } else {
      known.erase(found);
    }
  }
  return append_samples(db, id, rest);
}

}  // namespace

Result<std::int64_t> find_key(Connection& db, const TuningKey& key) {
  Query query(db, kKey, key.program.text(), key.machine.text(), key.threads, key.codegen);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::int64_t> find_trial(Connection& db, std::int64_t key, Fingerprint scheduled) {
  Query query(db, kTrialId, key, scheduled.text());
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::vector<TuningKey>> all_keys(Connection& db) {
  std::vector<TuningKey> all;
  Query query(db, kKeys);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return all;
    all.push_back(key_in(query));
  }
}

Result<std::vector<Trial>> trials_of(Connection& db, std::int64_t key) {
  Query query(db, kTrials, key);
  return read_trials(db, query);
}

Result<std::vector<Trial>> fastest_of(Connection& db, std::int64_t key, bool compared,
                                      std::int64_t count) {
  Query query(db, kBest, key, compared ? 1 : 0, count);
  return read_trials(db, query);
}

Result<std::optional<KeyedTrial>> trial_with(Connection& db, std::int64_t id) {
  Query of_key(db, kKeyOf, id);
  CAMBIUM_TRY(const bool row, of_key.step());
  if (!row) return std::optional<KeyedTrial>();
  Query query(db, kTrial, id);
  CAMBIUM_TRY(std::vector<Trial> trials, read_trials(db, query));
  if (trials.empty()) return std::optional<KeyedTrial>();
  return std::optional(KeyedTrial{key_in(of_key), std::move(trials.front())});
}

Result<std::vector<std::int64_t>> ids_beginning(Connection& db, const std::string& digits) {
  std::vector<std::int64_t> ids;
  Query query(db, kFind, digits, digits + "g");
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return ids;
    ids.push_back(query.integer(0));
  }
}

Result<Added> add_trial(Connection& db, const TuningKey& key, const Trial& trial) {
  CAMBIUM_TRY(const std::int64_t key_id, find_or_add_key(db, key));
  CAMBIUM_REQUIRE(Query(db, kDropBegun, key_id, trial.scheduled.text()).run());
  CAMBIUM_TRY(const std::int64_t there, find_trial(db, key_id, trial.scheduled));
  if (there != 0) {
    if (trial.rows > 0) {
      const auto features = std::as_bytes(std::span(trial.features));
      CAMBIUM_REQUIRE(Query(db, kAddFeatures, features, trial.rows, there).run());
    }
    return Added{there, false};
  }
  CAMBIUM_REQUIRE(insert(db, kAddTrial, key_id, trial));
  CAMBIUM_TRY(const std::int64_t id, find_trial(db, key_id, trial.scheduled));
  return Added{id, true};
}

Status append_samples(Connection& db, std::int64_t id, const std::vector<TuningSample>& samples) {
  if (samples.empty()) return Ok{};
  Trial trial;
  CAMBIUM_TRY(trial.samples, samples_of(db, id));
  for (const TuningSample& s : samples) {
    const auto number = static_cast<std::int64_t>(trial.samples.size());
    const int protocol = s.protocol == Protocol::Rank ? 0 : 1;
    CAMBIUM_REQUIRE(
        Query(db, kAddSample, id, number, protocol, s.seconds, s.spread, s.samples, s.error).run());
    trial.samples.push_back(s);
  }
  const bool compared = trial.best_samples().front().protocol == Protocol::Compare;
  return Query(db, kSetTime, compared ? 1 : 0, trial.seconds(), id).run();
}

Status join_trial(Connection& db, std::int64_t id, const Trial& trial) {
  CAMBIUM_TRY(const std::string reason, reason_of(db, id));
  if (is_final(reason)) return Ok{};
  if (is_final(trial.reason)) return refuse_trial(db, id, trial.reason, trial.detail);
  return join_samples(db, id, trial.samples);
}

Status set_trace(Connection& db, std::int64_t id, const std::string& trace) {
  return Query(db, kSetTrace, trace, id).run();
}

Status refuse_trial(Connection& db, std::int64_t id, const std::string& reason,
                    const std::string& detail) {
  CAMBIUM_REQUIRE(Query(db, kDropSamples, id).run());
  return Query(db, kRefuse, reason, detail, id).run();
}

Status add_begun(Connection& db, const TuningKey& key, const Trial& trial) {
  CAMBIUM_TRY(const std::int64_t key_id, find_or_add_key(db, key));
  return insert(db, kBegin, key_id, trial);
}

Status drop_begun(Connection& db, const TuningKey& key, Fingerprint scheduled) {
  CAMBIUM_TRY(const std::int64_t key_id, find_key(db, key));
  return Query(db, kDropBegun, key_id, scheduled.text()).run();
}

}  // namespace cambium::store
