// Claims: decide who makes an evaluation if several searches share a study. Each search claims an
// evaluation before it makes it, and renews its claims while it works; a claim ends with the
// result, with its owner, or some time after it was last renewed. Refuses what the study refuses.
// Used by Evaluations.
#pragma once

#include <string>

#include "base/result.h"
#include "store/study_store.h"

namespace cambium::search {

class Claims {
 public:
  explicit Claims(store::StudyStore& study);
  ~Claims();  // lets go of all claims
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  enum class Right {
    Ours,      // this search makes the evaluation
    Foreign,   // another search makes it
    Answered,  // the study has it
  };
  Result<Right> claim(const store::EvaluationKey& key);
  // Renews the claims of this search, if that is due.
  Status renew();
  // Whether it is time to look again at what other searches make.
  bool is_time_to_look();
  void let_go();

 private:
  store::StudyStore& study_;
  std::string owner_;
  double renewed_ = 0, looked_ = 0;  // seconds since 1970
};

double seconds_since_1970();

}  // namespace cambium::search
