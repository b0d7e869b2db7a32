// SQLite behind values: a connection, queries over prepared statements that are kept, transactions
// that undo themselves. Its errors become rejections that name the file and say what to do. Used by
// this folder only.
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
  // Refuses DatabaseFailed and NotFound. What is in the file is only looked at by the first query,
  // which refuses NotADatabase. Nothing in it runs by itself: triggers and views are switched off.
  static Result<Connection> open(const std::string& path, Mode mode = Mode::Make);
  static Result<Connection> in_memory();  // gone with the connection

  const std::string& path() const { return path_; }
  Mode mode() const { return mode_; }
  bool is_read_only() const;
  Status execute(const char* sql);  // statements without results, one after the other
  std::int64_t last_row() const;    // the number of the row that was added last
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
  // By the address of the text: queries are made from constants.
  std::unordered_map<const char*, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

// One run of a statement: values for its question marks, then rows. Not two of one text at a time.
class Query {
 public:
  template <class... Ts>
  Query(Connection& db, const char* sql, const Ts&... values) : Query(db, sql, Prepared{}) {
    (bind(values), ...);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  Result<bool> step();   // whether there is a row
  Status run();          // for statements without rows
  bool is_busy() const;  // whether what was refused was so for another process

  // Columns of the row, from 0. Valid until the next step.
  std::int64_t integer(int column) const;
  double real(int column) const;  // NaN of NULL, which SQLite makes of NaN
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;
  Fingerprint fingerprint(int column) const;  // zero where the text is none

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
  void bind(const std::optional<Fingerprint>& value);  // NULL for none
  int next() { return ++bound_; }
  void note(int code);

  Connection& db_;
  sqlite3_stmt* statement_ = nullptr;  // nullptr: it was not prepared, and error_ says why
  int bound_ = 0;
  int error_ = 0;  // the first that was met
};

// Undone unless committed. A writing one waits its turn when it begins, so that it cannot fail for
// another process later.
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
