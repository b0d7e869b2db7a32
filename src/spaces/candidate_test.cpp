#include "spaces/candidate.h"

#include <gtest/gtest.h>

namespace cambium::spaces {
namespace {

Candidate two_edits() {
  return {
      fingerprint_of("a model"),
      {{"coordinate", {"conv1", "conv2"}, "line one\nline \"two\""}, {"blocks", {"b0"}, "delete"}},
      fingerprint_of("its parent")};
}

Reason refusal_of(std::string_view json) {
  const auto candidate = parse_candidate(json);
  return candidate.ok() ? Reason::NotFound : candidate.rejection().reason();
}

TEST(Candidate, IsTheSameAfterJson) {
  const Candidate candidate = two_edits();
  EXPECT_EQ(parse_candidate(to_json(candidate)).value(), candidate);
  const Candidate original{fingerprint_of("a model"), {}, std::nullopt};
  EXPECT_EQ(parse_candidate(to_json(original)).value(), original);
}

TEST(Candidate, IsNamedByBaseAndEditsAlone) {
  const Candidate candidate = two_edits();
  Candidate orphan = candidate;
  orphan.parent.reset();
  EXPECT_EQ(identity_of(orphan), identity_of(candidate));
  Candidate other = candidate;
  other.edits[0].sites = {"conv2", "conv1"};
  EXPECT_EQ(identity_of(other), identity_of(candidate));
  other.edits[0].sites = {"conv1"};
  EXPECT_NE(identity_of(other), identity_of(candidate));
  other = candidate;
  std::swap(other.edits[0], other.edits[1]);
  EXPECT_NE(identity_of(other), identity_of(candidate));
  other = candidate;
  other.base = fingerprint_of("another model");
  EXPECT_NE(identity_of(other), identity_of(candidate));
}

TEST(Candidate, RefusesTextThatIsNone) {
  EXPECT_EQ(refusal_of("{"), Reason::BadSyntax);
  EXPECT_EQ(refusal_of("[]"), Reason::MissingField);
  EXPECT_EQ(refusal_of("{}"), Reason::MissingField);
  const std::string base = "\"base\": \"" + fingerprint_of(1).text() + "\"";
  EXPECT_EQ(refusal_of("{" + base + "}"), Reason::MissingField);
  EXPECT_EQ(refusal_of("{" + base + R"(, "edits": [1]})"), Reason::MissingField);
  EXPECT_EQ(refusal_of("{" + base + R"(, "edits": [], "parent": "12"})"), Reason::MissingField);
  EXPECT_EQ(refusal_of("{" + base + R"(, "edits": [{"space": "s", "document": ""}]})"),
            Reason::MissingField);
  EXPECT_EQ(
      refusal_of("{" + base + R"(, "edits": [{"space": "s", "document": "", "sites": [1]}]})"),
      Reason::MissingField);
  EXPECT_EQ(refusal_of("{" + base + R"(, "edits": []})"), Reason::NotFound);
}

TEST(Candidate, SaysWhichEditIsWrong) {
  const auto refused = parse_candidate("{\"base\": \"" + fingerprint_of(1).text() +
                                       R"(", "edits": [{"space": "s"}]})");
  EXPECT_EQ(refused.rejection().message(), "edit 0: 'document' is missing or not a text");
}

}  // namespace
}  // namespace cambium::spaces
