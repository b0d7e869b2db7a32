#include "search/snapshot.h"

#include <limits>

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

constexpr double kThird = 1.0 / 3;

std::string sample() {
  SnapshotWriter out;
  out.text("tree").number(-5).real(kThird).hash(~0ull).text("two words").text("");
  out.count(std::string("abc"));
  return std::move(out).done();
}

Reason refusal_of(SnapshotReader& reader) {
  const Status status = reader.finish();
  return status.ok() ? Reason::NotFound : status.rejection().reason();
}

TEST(Snapshot, GivesBackWhatWasWritten) {
  const std::string text = sample();
  SnapshotReader reader(text);
  reader.expect("tree");
  EXPECT_EQ(reader.number(-10, 10), -5);
  EXPECT_EQ(reader.real(), kThird);
  EXPECT_EQ(reader.hash(), ~0ull);
  EXPECT_EQ(reader.text(), "two words");
  EXPECT_EQ(reader.text(), "");
  EXPECT_EQ(reader.number(0, 3), 3);
  EXPECT_TRUE(reader.finish().ok());
}

TEST(Snapshot, RefusesEveryBeginningOfIt) {
  const std::string text = sample();
  for (std::size_t length = 0; length < text.size(); ++length) {
    SnapshotReader reader(std::string_view(text).substr(0, length));
    reader.expect("tree");
    reader.number(-10, 10);
    reader.real();
    reader.hash();
    reader.text();
    reader.text();
    reader.number(0, 3);
    EXPECT_EQ(refusal_of(reader), Reason::BadSyntax) << length;
  }
}

TEST(Snapshot, RefusesWhatIsOutOfRangeOrLeftOver) {
  SnapshotReader number("12 ");
  EXPECT_EQ(number.number(0, 11), 0);
  EXPECT_EQ(refusal_of(number), Reason::BadSyntax);
  SnapshotReader count("1000 1 1 ");
  EXPECT_EQ(count.count(), 0u);
  EXPECT_EQ(refusal_of(count), Reason::BadSyntax);
  SnapshotReader real("inf ");
  EXPECT_EQ(real.real(), 0);
  EXPECT_EQ(refusal_of(real), Reason::BadSyntax);
  SnapshotReader rest("1 2 ");
  rest.number(0, 1);
  EXPECT_EQ(refusal_of(rest), Reason::BadSyntax);
  SnapshotReader other("4 leaf ");
  other.expect("tree");
  EXPECT_EQ(other.finish().rejection().message(),
            "line 1, column 8: expected 'tree', found 'leaf'");
}

}  // namespace
}  // namespace cambium::search
