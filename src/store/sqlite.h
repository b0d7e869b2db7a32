// SQLite as values: a connection, queries over cached prepared statements, transactions that roll
// back by themselves. Errors of SQLite become rejections that name the file and say what to do.
// Used only by this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/fingerprint.h"
#include "base/result.h"
#include "store/mode.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cambium::store {

class Connection {
 public:
  // Refuses DatabaseFailed and NotFound. The first query looks into the file, and refuses
  // NotADatabase. Nothing in the file runs by itself: triggers and views are off.
  static Result<Connection> open(const std::string& path, Mode mode = Mode::Make);
  static Result<Connection> in_memory();  // gone with the connection

  const std::string& path() const { return path_; }
  Mode mode() const { return mode_; }
  bool is_read_only() const;
  Status execute(const char* sql);  // statements without results, one after the other
  std::int64_t last_row() const;    // number of the last added row
  Rejection refusal(int code) const;
  Rejection damaged(std::string_view how) const;

 private:
  friend class Query;
  static Result<Connection> open_file(const std::string& path, const std::string& name, int flags,
                                      Mode mode);
  struct Close {
    void operator()(sqlite3* db) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  std::string path_;
  Mode mode_ = Mode::Make;
  std::unique_ptr<sqlite3, Close> db_;
  // By the address of the text, because queries are made from constants.
  std::unordered_map<const char*, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

// One run of a statement: values for its question marks, then rows. Only one at a time for a text.
class Query {
 public:
  template <class... Ts>
  Query(Connection& db, const char* sql, const Ts&... values) : Query(db, sql, Prepared{}) {
    (bind(values), ...);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  Result<bool> step();   // whether there is another row
  Status run();          // for statements without rows
  bool is_busy() const;  // whether another process caused the refusal

  // Columns of the row, from 0. Valid until the next step.
  std::int64_t integer(int column) const;
  double real(int column) const;  // NaN for NULL: SQLite stores NaN as NULL
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;
  Fingerprint fingerprint(int column) const;  // zero if the text is not a fingerprint

 private:
  struct Prepared {};
  Query(Connection& db, const char* sql, Prepared);

  void bind(std::int64_t value);
  void bind(int value) { bind(std::int64_t{value}); }
  void bind(double value);
  void bind(const std::string& value);
  void bind(std::span<const std::byte> value);
  void bind(std::nullptr_t);
  void bind(const Fingerprint& value) { bind(value.text()); }
  void bind(const std::optional<Fingerprint>& value);  // NULL for an empty one
  int next() { return ++bound_; }
  void note(int code);

  Connection& db_;
  sqlite3_stmt* statement_ = nullptr;  // null: not prepared; error_ says why
  int bound_ = 0;
  int error_ = 0;  // the first error
};

// Rolled back unless committed. A writing transaction waits for its turn when it begins, so that no
// other process can make it fail later.
class Transaction {
 public:
  enum class Kind : std::uint8_t { Read, Write };
  explicit Transaction(Connection& db) : db_(&db) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Status begin(Kind kind);
  Status commit();

 private:
  Connection* db_;
  bool is_open_ = false;
};

}  // namespace cambium::store
