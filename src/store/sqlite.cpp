#include "store/sqlite.h"

#include <cstring>
#include <filesystem>
#include <limits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace cambium::store {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMilliseconds = 30'000;

// Whether this process may change the file and create files beside it.
bool is_writable(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string beside = folder.empty() ? "." : folder.string();
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 &&
         ::faccessat(AT_FDCWD, beside.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

// Whether the last additions are in the log beside the file.
bool has_log(const std::string& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path + "-wal", error);
  return !error && bytes > 0;
}

// The SQLite URI of a file that nobody changes. It is read without locks and without the two files
// beside it, which could not be created.
std::string immutable_name(const std::string& path) {
  std::string name = "file://";
  for (const char c : fs::absolute(path).string()) {
    const bool is_plain = c != '%' && c != '?' && c != '#';
    name += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return name + "?immutable=1";
}

// A file may come from outside. Its views and triggers would run when we read or write, and its
// schema may call functions.
void distrust(sqlite3* db) {
  for (const int what : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                         SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(db, what, 0, nullptr);
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

}  // namespace

void Connection::Close::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

void Connection::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<Connection> Connection::open(const std::string& path, Mode mode) {
  // SQLite uses these names for temporary databases.
  if (path.empty() || path == ":memory:") {
    return Rejection(Reason::DatabaseFailed, "'" + path + "'", "give the path of a file");
  }
  std::error_code ignored;
  if (mode != Mode::Make && !fs::exists(path, ignored)) return Rejection(Reason::NotFound, path);
  if (mode != Mode::Read || is_writable(path)) {
    return open_file(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, mode);
  }
  // If there is a log, others may be writing, so the file is shared with them.
  if (has_log(path)) return open_file(path, path, SQLITE_OPEN_READONLY, mode);
  return open_file(path, immutable_name(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, mode);
}

Result<Connection> Connection::in_memory() {
  return open_file("memory", ":memory:", SQLITE_OPEN_READWRITE, Mode::Make);
}

Result<Connection> Connection::open_file(const std::string& path, const std::string& name,
                                         int flags, Mode mode) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &db, flags, /*zVfs=*/nullptr);
  Connection connection;
  connection.path_ = path;
  connection.mode_ = mode;
  connection.db_.reset(db);
  if (code != SQLITE_OK) return connection.refusal(code);
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  distrust(db);
  return connection;
}

bool Connection::is_read_only() const {
  return sqlite3_db_readonly(db_.get(), "main") == 1;
}

Status Connection::execute(const char* sql) {
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return refusal(code);
  return Ok{};
}

std::int64_t Connection::last_row() const {
  return sqlite3_last_insert_rowid(db_.get());
}

Rejection Connection::refusal(int code) const {
  const std::string what = db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_.get());
  const int system = db_ == nullptr ? 0 : sqlite3_system_errno(db_.get());
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return {Reason::NotADatabase, path_,
              "it holds something else; give the path of a new file, or of a file that this "
              "program made"};
    case SQLITE_CORRUPT: return damaged(what);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {Reason::DatabaseFailed, path_,
              fmt::format("{}{}{}; the file and its folder must exist and be writable, because two "
                          "more files are kept beside it",
                          what, system == 0 ? "" : ": ", system == 0 ? "" : std::strerror(system))};
    case SQLITE_BUSY:
      return {
          Reason::DatabaseFailed, path_,
          fmt::format("another process has locked it for {} s; stop that process or wait for it",
                      kBusyMilliseconds / 1000)};
    case SQLITE_FULL:
      return {Reason::DatabaseFailed, path_, "the disk is full; everything added before is kept"};
    case SQLITE_IOERR:
      return {
          Reason::DatabaseFailed, path_,
          fmt::format("{}: the disk or a quota refuses the write; everything added before is kept",
                      what)};
    default: return {Reason::DatabaseFailed, path_, what};
  }
}

Rejection Connection::damaged(std::string_view how) const {
  return {Reason::DatabaseFailed, path_,
          fmt::format("the file is damaged ({}); move it away, and `sqlite3 FILE .recover` "
                      "saves what can be read",
                      how)};
}

Query::Query(Connection& db, const char* sql, Prepared) : db_(db) {
  auto& kept = db.statements_[sql];
  if (kept == nullptr) {
    sqlite3_stmt* made = nullptr;
    note(sqlite3_prepare_v3(db.db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr));
    kept.reset(made);
  }
  statement_ = kept.get();
}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Query::note(int code) {
  if (error_ == SQLITE_OK) error_ = code;
}

void Query::bind(std::int64_t value) {
  note(sqlite3_bind_int64(statement_, next(), value));
}
void Query::bind(double value) {
  note(sqlite3_bind_double(statement_, next(), value));
}
void Query::bind(const std::string& value) {
  note(sqlite3_bind_text64(statement_, next(), value.data(), value.size(), SQLITE_TRANSIENT,
                           SQLITE_UTF8));
}
void Query::bind(std::span<const std::byte> value) {
  // An empty blob is not NULL.
  note(value.empty()
           ? sqlite3_bind_zeroblob(statement_, next(), 0)
           : sqlite3_bind_blob64(statement_, next(), value.data(), value.size(), SQLITE_TRANSIENT));
}
void Query::bind(std::nullptr_t) {
  note(sqlite3_bind_null(statement_, next()));
}
void Query::bind(const std::optional<Fingerprint>& value) {
  value.has_value() ? bind(*value) : bind(nullptr);
}

Result<bool> Query::step() {
  if (error_ != SQLITE_OK) return db_.refusal(error_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  error_ = code;
  return db_.refusal(code);
}

Status Query::run() {
  CAMBIUM_TRY(const bool row, step());
  CAMBIUM_CHECK(!row, "a statement without rows has none");
  return Ok{};
}

bool Query::is_busy() const {
  return (error_ & 0xff) == SQLITE_BUSY;
}

std::int64_t Query::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Query::real(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sqlite3_column_double(statement_, column);
}
std::string Query::text(int column) const {
  const auto* letters = sqlite3_column_text(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return letters == nullptr ? std::string()
                            : std::string(reinterpret_cast<const char*>(letters), size);
}
std::span<const std::byte> Query::blob(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Fingerprint Query::fingerprint(int column) const {
  const auto parsed = Fingerprint::parse(text(column));
  return parsed.ok() ? *parsed : Fingerprint{};
}

Transaction::~Transaction() {
  // If this fails, SQLite has rolled back already.
  if (is_open_) static_cast<void>(db_->execute("ROLLBACK"));
}

Status Transaction::begin(Kind kind) {
  CAMBIUM_REQUIRE(db_->execute(kind == Kind::Read ? "BEGIN" : "BEGIN IMMEDIATE"));
  is_open_ = true;
  return Ok{};
}

Status Transaction::commit() {
  CAMBIUM_REQUIRE(db_->execute("COMMIT"));
  is_open_ = false;
  return Ok{};
}

}  // namespace cambium::store
