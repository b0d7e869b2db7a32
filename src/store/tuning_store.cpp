#include "store/tuning_store.h"

#include <algorithm>

#include "store/schema.h"
#include "store/trial_rows.h"
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
constexpr const char* kMachine =
    "SELECT fingerprint, description FROM machines WHERE fingerprint = ?";
constexpr const char* kMachines =
    "SELECT fingerprint, description FROM machines ORDER BY fingerprint";
constexpr const char* kCount = "SELECT count(*) FROM trials";
// clang-format on

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
  return join_trial(db, place.id, trial);
}

}  // namespace

struct TuningStore::State {
  Connection db;
};

TuningStore::TuningStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
TuningStore::TuningStore(TuningStore&&) noexcept = default;
TuningStore& TuningStore::operator=(TuningStore&&) noexcept = default;
TuningStore::~TuningStore() = default;

Result<TuningStore> TuningStore::open(const std::string& path, Mode mode) {
  CAMBIUM_TRY(Connection db, Connection::open(path, mode));
  CAMBIUM_REQUIRE(prepare(db, tuning_schema()));
  return TuningStore(std::make_unique<State>(State{std::move(db)}));
}

Status TuningStore::remember(const TunedProgram& program) {
  return Query(state_->db, kAddProgram, program.fingerprint.text(), program.name, program.text)
      .run();
}

Status TuningStore::remember(const TunedMachine& machine) {
  // Ceilings are measured again now and then: the last ones count.
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
    all.push_back({query.fingerprint(0), query.text(1), query.text(2)});
  }
}

Result<std::optional<TunedMachine>> TuningStore::machine(Fingerprint fingerprint) {
  Query query(state_->db, kMachine, fingerprint.text());
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<TunedMachine>();
  return std::optional(TunedMachine{fingerprint, query.text(1)});
}

Result<std::vector<TunedMachine>> TuningStore::machines() {
  std::vector<TunedMachine> all;
  Query query(state_->db, kMachines);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return all;
    all.push_back({query.fingerprint(0), query.text(1)});
  }
}

Result<std::int64_t> TuningStore::add(const TuningKey& key, const Trial& trial) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  CAMBIUM_TRY(const Added place, add_trial(state_->db, key, trial));
  CAMBIUM_REQUIRE(store::set_trace(state_->db, place.id, trial.trace));
  CAMBIUM_REQUIRE(append_samples(state_->db, place.id, trial.samples));
  CAMBIUM_REQUIRE(transaction.commit());
  return place.id;
}

Status TuningStore::begin(const TuningKey& key, const Trial& trial) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  CAMBIUM_REQUIRE(add_begun(state_->db, key, trial));
  return transaction.commit();
}

Status TuningStore::end(const TuningKey& key, Fingerprint scheduled) {
  Transaction transaction(state_->db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  CAMBIUM_REQUIRE(drop_begun(state_->db, key, scheduled));
  return transaction.commit();
}

Status TuningStore::set_trace(std::int64_t id, const std::string& trace) {
  return store::set_trace(state_->db, id, trace);
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
  CAMBIUM_REQUIRE(refuse_trial(state_->db, id, reason, detail));
  return transaction.commit();
}

Result<std::optional<std::int64_t>> TuningStore::id_of(const TuningKey& key,
                                                       Fingerprint scheduled) {
  CAMBIUM_TRY(const std::int64_t of_key, find_key(state_->db, key));
  CAMBIUM_TRY(const std::int64_t id, find_trial(state_->db, of_key, scheduled));
  return id == 0 ? std::optional<std::int64_t>() : std::optional(id);
}

Result<std::vector<Trial>> TuningStore::trials(const TuningKey& key) {
  CAMBIUM_TRY(const std::int64_t id, find_key(state_->db, key));
  return trials_of(state_->db, id);
}

Result<std::vector<Trial>> TuningStore::best(const TuningKey& key, std::int64_t count) {
  CAMBIUM_TRY(const std::int64_t id, find_key(state_->db, key));
  CAMBIUM_TRY(std::vector<Trial> best, fastest_of(state_->db, id, true, count));
  CAMBIUM_TRY(const std::vector<Trial> others, fastest_of(state_->db, id, false, count));
  std::size_t from = 0;  // after the last of `others`, so that the order stays
  for (const Trial& other : others) {
    const auto place = std::find_if(best.begin() + static_cast<std::ptrdiff_t>(from), best.end(),
                                    [&](const Trial& one) { return is_surely_faster(other, one); });
    const auto there = best.insert(place, other);
    from = static_cast<std::size_t>(there - best.begin()) + 1;
  }
  if (std::ssize(best) > count) best.resize(static_cast<std::size_t>(count));
  return best;
}

Result<std::vector<KeyedTrial>> TuningStore::find(const std::string& what) {
  std::string digits = what;
  for (char& c : digits) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  if (digits.empty() || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::vector<KeyedTrial>();
  }
  std::vector<std::int64_t> ids;
  const bool is_number = digits.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && digits.size() <= 18) ids.push_back(std::stoll(digits));
  if (digits.size() >= 4) {
    CAMBIUM_TRY(const std::vector<std::int64_t> more, ids_beginning(state_->db, digits));
    for (const std::int64_t id : more) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  std::vector<KeyedTrial> found;
  for (const std::int64_t id : ids) {
    CAMBIUM_TRY(std::optional<KeyedTrial> one, trial_with(state_->db, id));
    if (one.has_value()) found.push_back(*std::move(one));
  }
  return found;
}

Result<std::vector<TuningKey>> TuningStore::keys() {
  return all_keys(state_->db);
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
  CAMBIUM_TRY(const std::vector<TuningKey> all, keys());
  for (const TuningKey& key : all) {
    CAMBIUM_TRY(std::vector<Trial> of_key, trials(key));
    for (Trial& trial : of_key) {
      if (trial.is_begun) continue;  // in work, or to be tried again
      CAMBIUM_REQUIRE(write(to_line(KeyedTrial{key, std::move(trial)})));
    }
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
