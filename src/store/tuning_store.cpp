#include "store/tuning_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "store/schema.h"
#include "store/sqlite.h"
#include "store/tuning_lines.h"

namespace cambium::store {
namespace {

// clang-format off
constexpr const char* kAddProgram =
    "INSERT INTO programs(fingerprint, name, text) VALUES(?, ?, ?) ON CONFLICT DO NOTHING";
constexpr const char* kAddMachine =
    "INSERT INTO machines(fingerprint, description) VALUES(?, ?) ON CONFLICT DO NOTHING";
constexpr const char* kSetMachine =
    "INSERT INTO machines(fingerprint, description) VALUES(?, ?)"
    " ON CONFLICT DO UPDATE SET description = excluded.description";
constexpr const char* kProgram = "SELECT fingerprint, name, text FROM programs WHERE fingerprint = ?";
constexpr const char* kPrograms = "SELECT fingerprint, name, text FROM programs ORDER BY fingerprint";
constexpr const char* kMachines =
    "SELECT fingerprint, description FROM machines ORDER BY fingerprint";
constexpr const char* kAddKey =
    "INSERT INTO keys(program, machine, threads, codegen) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING";
constexpr const char* kKey =
    "SELECT id FROM keys WHERE program = ? AND machine = ? AND threads = ? AND codegen = ?";
constexpr const char* kKeys = "SELECT id, program, machine, threads, codegen FROM keys ORDER BY id";
constexpr const char* kKeyOf =
    "SELECT keys.id, program, machine, threads, codegen"
    " FROM trials JOIN keys ON keys.id = trials.key WHERE trials.id = ?";
constexpr const char* kAddTrial =
    "INSERT INTO trials(key, scheduled, trace, strategy, seed, number, reason, detail, features, rows)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kTrialId = "SELECT id FROM trials WHERE key = ? AND scheduled = ?";
constexpr const char* kAddFeatures =
    "UPDATE trials SET features = ?, rows = ? WHERE id = ? AND rows = 0";
constexpr const char* kSetTrace = "UPDATE trials SET trace = ?1 WHERE id = ?2 AND trace <> ?1";
constexpr const char* kSetTime =
    "UPDATE trials SET compared = ?, seconds = ?, reason = '', detail = '' WHERE id = ?";
constexpr const char* kRefuse =
    "UPDATE trials SET compared = 0, seconds = NULL, reason = ?, detail = ? WHERE id = ?";
constexpr const char* kDropSamples = "DELETE FROM samples WHERE trial = ?";
constexpr const char* kAddSample =
    "INSERT INTO samples(trial, number, protocol, seconds, spread, samples, error)"
    " VALUES(?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kSamples =
    "SELECT protocol, seconds, spread, samples, error FROM samples WHERE trial = ? ORDER BY number";
#define CAMBIUM_TRIAL \
    "SELECT id, scheduled, trace, strategy, seed, number, reason, detail, features, rows FROM trials"
constexpr const char* kTrial = CAMBIUM_TRIAL " WHERE id = ?";
constexpr const char* kTrials = CAMBIUM_TRIAL " WHERE key = ? ORDER BY id";
constexpr const char* kBest =
    CAMBIUM_TRIAL
    " WHERE key = ? AND compared = ? AND seconds IS NOT NULL ORDER BY seconds LIMIT ?";
// Hexadecimal digits all come before 'g'.
constexpr const char* kFind =
    "SELECT id FROM trials WHERE scheduled >= ? AND scheduled < ? ORDER BY id LIMIT 100";
#undef CAMBIUM_TRIAL
constexpr const char* kCount = "SELECT count(*) FROM trials";
// clang-format on

Fingerprint fingerprint_in(const Query& query, int column) {
  const auto parsed = Fingerprint::parse(query.text(column));
  return parsed.ok() ? *parsed : Fingerprint{};
}

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
    trial.scheduled = fingerprint_in(query, 1);
    trial.trace = query.text(2);
    trial.strategy = query.text(3);
    trial.seed = std::bit_cast<std::uint64_t>(query.integer(4));
    trial.number = query.integer(5);
    trial.reason = query.text(6);
    trial.detail = query.text(7);
    const std::span<const std::byte> features = query.blob(8);
    trial.features.resize(features.size() / sizeof(float));
    if (!features.empty()) {
      std::memcpy(trial.features.data(), features.data(), trial.features.size() * sizeof(float));
    }
    trial.rows = query.integer(9);
    CAMBIUM_TRY(trial.samples, samples_of(db, trial.id));
  }
}

TuningKey key_in(const Query& query) {
  return {fingerprint_in(query, 1), fingerprint_in(query, 2), static_cast<int>(query.integer(3)),
          query.text(4)};
}

// The id of a key; 0: there is none.
Result<std::int64_t> find_key(Connection& db, const TuningKey& key) {
  Query query(db, kKey, key.program.text(), key.machine.text(), key.threads, key.codegen);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::int64_t> find_or_add_key(Connection& db, const TuningKey& key) {
  CAMBIUM_REQUIRE(
      Query(db, kAddKey, key.program.text(), key.machine.text(), key.threads, key.codegen).run());
  return find_key(db, key);
}

Result<std::int64_t> find_trial(Connection& db, std::int64_t key, Fingerprint scheduled) {
  Query query(db, kTrialId, key, scheduled.text());
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

// Adds samples to a trial and brings its time up to date. Within a transaction.
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

struct Added {
  std::int64_t id;
  bool is_new;
};

// Without samples. Within a transaction.
Result<Added> add_trial(Connection& db, const TuningKey& key, const Trial& trial) {
  CAMBIUM_TRY(const std::int64_t key_id, find_or_add_key(db, key));
  CAMBIUM_TRY(const std::int64_t there, find_trial(db, key_id, trial.scheduled));
  const auto features = std::as_bytes(std::span(trial.features));
  if (there != 0) {
    if (trial.rows > 0) {
      CAMBIUM_REQUIRE(Query(db, kAddFeatures, features, trial.rows, there).run());
    }
    return Added{there, false};
  }
  CAMBIUM_REQUIRE(Query(db, kAddTrial, key_id, trial.scheduled.text(), trial.trace, trial.strategy,
                        std::bit_cast<std::int64_t>(trial.seed), trial.number, trial.reason,
                        trial.detail, features, trial.rows)
                      .run());
  CAMBIUM_TRY(const std::int64_t id, find_trial(db, key_id, trial.scheduled));
  return Added{id, true};
}

// Those of `samples` that are not among `known`; equal ones count as often as they occur.
std::vector<TuningSample> unknown_samples(const std::vector<TuningSample>& samples,
                                          std::vector<TuningSample> known) {
  std::vector<TuningSample> rest;
  for (const TuningSample& s : samples) {
    const auto found = std::find(known.begin(), known.end(), s);
    if (found == known.end()) {
      rest.push_back(s);
    } else {
      known.erase(found);
    }
  }
  return rest;
}

Status import_record(Connection& db, const TuningRecord& record, std::int64_t& added) {
  if (const auto* program = std::get_if<TunedProgram>(&record)) {
    return Query(db, kAddProgram, program->fingerprint.text(), program->name, program->text).run();
  }
  if (const auto* machine = std::get_if<TunedMachine>(&record)) {
    return Query(db, kAddMachine, machine->fingerprint.text(), machine->description).run();
  }
  const auto& [key, trial] = std::get<KeyedTrial>(record);
  CAMBIUM_TRY(const Added place, add_trial(db, key, trial));
  if (place.is_new) ++added;
  CAMBIUM_TRY(const std::vector<TuningSample> known, samples_of(db, place.id));
  return append_samples(db, place.id, unknown_samples(trial.samples, known));
}

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// As both were ranked, since other protocols give other numbers: by more than the spreads. One that
// was never ranked is not beaten so.
bool is_surely_faster(const Trial& a, const Trial& b) {
  const auto ranks = [](const Trial& trial, double side) {
    std::vector<double> values;
    for (const TuningSample& s : trial.samples) {
      if (s.protocol == Protocol::Rank) values.push_back(s.seconds * (1 + side * s.spread));
    }
    return values;
  };
  const std::vector<double> high = ranks(a, 1), low = ranks(b, -1);
  return !high.empty() && !low.empty() && median(high) < median(low);
}

}  // namespace

std::vector<TuningSample> Trial::best_samples() const {
  std::vector<TuningSample> compared;
  for (const TuningSample& s : samples) {
    if (s.protocol == Protocol::Compare) compared.push_back(s);
  }
  return compared.empty() ? samples : compared;
}

double Trial::seconds() const {
  if (is_refused()) return std::numeric_limits<double>::infinity();
  std::vector<double> values;
  for (const TuningSample& s : best_samples()) values.push_back(s.seconds);
  return median(std::move(values));
}

struct TuningStore::State {
  Connection db;
};

TuningStore::TuningStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
TuningStore::TuningStore(TuningStore&&) noexcept = default;
TuningStore& TuningStore::operator=(TuningStore&&) noexcept = default;
TuningStore::~TuningStore() = default;

Result<TuningStore> TuningStore::open(const std::string& path) {
  CAMBIUM_TRY(Connection db, Connection::open(path));
  CAMBIUM_REQUIRE(prepare(db, tuning_schema()));
  return TuningStore(std::make_unique<State>(State{std::move(db)}));
}

Status TuningStore::remember(const TunedProgram& program) {
  return Query(state_->db, kAddProgram, program.fingerprint.text(), program.name, program.text)
      .run();
}

Status TuningStore::remember(const TunedMachine& machine) {
  // Ceilings are probed again now and then: the last word counts.
  return Query(state_->db, kSetMachine, machine.fingerprint.text(), machine.description).run();
}

Result<std::optional<TunedProgram>> TuningStore::program(Fingerprint fingerprint) {
  Query query(state_->db, kProgram, fingerprint.text());
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<TunedProgram>();
  return std::optional(TunedProgram{fingerprint, query.text(1), query.text(2)});
}

Result<std::vector<TunedProgram>> TuningStore::programs() {
  std::vector<TunedProgram> all;
  Query query(state_->db, kPrograms);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return all;
    all.push_back({fingerprint_in(query, 0), query.text(1), query.text(2)});
  }
}

Result<std::vector<TunedMachine>> TuningStore::machines() {
  std::vector<TunedMachine> all;
  Query query(state_->db, kMachines);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return all;
    all.push_back({fingerprint_in(query, 0), query.text(1)});
  }
}

Result<std::int64_t> TuningStore::add(const TuningKey& key, const Trial& trial) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  CAMBIUM_TRY(const Added place, add_trial(state_->db, key, trial));
  CAMBIUM_REQUIRE(Query(state_->db, kSetTrace, trial.trace, place.id).run());
  CAMBIUM_REQUIRE(append_samples(state_->db, place.id, trial.samples));
  CAMBIUM_REQUIRE(transaction.commit());
  return place.id;
}

Status TuningStore::add_samples(std::int64_t id, const std::vector<TuningSample>& samples) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  CAMBIUM_REQUIRE(append_samples(state_->db, id, samples));
  return transaction.commit();
}

Status TuningStore::refuse(std::int64_t id, const std::string& reason, const std::string& detail) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  CAMBIUM_REQUIRE(Query(state_->db, kDropSamples, id).run());
  CAMBIUM_REQUIRE(Query(state_->db, kRefuse, reason, detail, id).run());
  return transaction.commit();
}

Result<std::vector<Trial>> TuningStore::trials(const TuningKey& key) {
  CAMBIUM_TRY(const std::int64_t id, find_key(state_->db, key));
  Query query(state_->db, kTrials, id);
  return read_trials(state_->db, query);
}

Result<std::vector<Trial>> TuningStore::best(const TuningKey& key, std::int64_t count) {
  CAMBIUM_TRY(const std::int64_t id, find_key(state_->db, key));
  const auto fastest = [&](int compared) {
    Query query(state_->db, kBest, id, compared, count);
    return read_trials(state_->db, query);
  };
  CAMBIUM_TRY(std::vector<Trial> best, fastest(1));
  CAMBIUM_TRY(const std::vector<Trial> others, fastest(0));
  std::size_t from = 0;  // behind the last of `others`, so that they stay in order
  for (const Trial& other : others) {
    const auto place = std::find_if(best.begin() + static_cast<std::ptrdiff_t>(from), best.end(),
                                    [&](const Trial& one) { return is_surely_faster(other, one); });
    const auto there = best.insert(place, other);
    from = static_cast<std::size_t>(there - best.begin()) + 1;
  }
  if (std::ssize(best) > count) best.resize(static_cast<std::size_t>(count));
  return best;
}

Result<std::vector<TuningStore::Found>> TuningStore::find(const std::string& what) {
  std::string digits = what;
  for (char& c : digits) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  if (digits.empty() || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::vector<Found>();
  }
  std::vector<std::int64_t> ids;
  const bool is_number = digits.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && digits.size() <= 18) ids.push_back(std::stoll(digits));
  if (digits.size() >= 4) {
    Query query(state_->db, kFind, digits, digits + "g");
    for (;;) {
      CAMBIUM_TRY(const bool row, query.step());
      if (!row) break;
      const std::int64_t id = query.integer(0);
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  std::vector<Found> found;
  for (const std::int64_t id : ids) {
    Query of_key(state_->db, kKeyOf, id);
    CAMBIUM_TRY(const bool row, of_key.step());
    if (!row) continue;
    Query query(state_->db, kTrial, id);
    CAMBIUM_TRY(std::vector<Trial> trials, read_trials(state_->db, query));
    if (!trials.empty()) found.push_back({key_in(of_key), std::move(trials.front())});
  }
  return found;
}

Result<std::vector<TuningKey>> TuningStore::keys() {
  std::vector<TuningKey> all;
  Query query(state_->db, kKeys);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return all;
    all.push_back(key_in(query));
  }
}

Result<std::int64_t> TuningStore::count() {
  Query query(state_->db, kCount);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Status TuningStore::export_lines(const std::function<Status(const std::string& line)>& write) {
  Transaction moment(state_->db);
  CAMBIUM_REQUIRE(moment.begin(Transaction::Kind::Read));
  CAMBIUM_TRY(const std::vector<TunedProgram> all_programs, programs());
  for (const TunedProgram& program : all_programs) CAMBIUM_REQUIRE(write(to_line(program)));
  CAMBIUM_TRY(const std::vector<TunedMachine> all_machines, machines());
  for (const TunedMachine& machine : all_machines) CAMBIUM_REQUIRE(write(to_line(machine)));
  CAMBIUM_TRY(const std::vector<TuningKey> all_keys, keys());
  for (const TuningKey& key : all_keys) {
    CAMBIUM_TRY(std::vector<Trial> of_key, trials(key));
    for (Trial& trial : of_key) CAMBIUM_REQUIRE(write(to_line(KeyedTrial{key, std::move(trial)})));
  }
  return moment.commit();
}

Result<std::int64_t> TuningStore::import_lines(
    const std::function<std::optional<std::string>()>& next) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  std::int64_t number = 0;
  std::int64_t added = 0;
  while (const std::optional<std::string> line = next()) {
    ++number;
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    CAMBIUM_TRY(const TuningRecord record, parse_line(*line, number));
    CAMBIUM_REQUIRE(import_record(state_->db, record, added));
  }
  CAMBIUM_REQUIRE(transaction.commit());
  return added;
}

}  // namespace cambium::store
