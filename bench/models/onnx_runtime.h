// ONNX Runtime as a peer, where it is installed: its shared library is opened at run time and
// called through its table of functions by number, so that nothing here needs its headers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::bench {

class OnnxRuntime {
 public:
  // `library`: empty looks on the loader's path. Refuses Unreadable with what the loader says.
  static Result<OnnxRuntime> open(const std::string& library);
  const std::string& version() const { return version_; }

  // A model made ready to run on these inputs, again and again.
  class Session {
   public:
    void run();
    std::vector<model::Tensor> outputs() const;

   private:
    friend class OnnxRuntime;
    struct State;
    std::shared_ptr<State> state_;
  };
  // Writes the model as ONNX to a file that is gone afterwards. Refuses what it refuses.
  Result<Session> load(const model::Model& model, std::span<const model::Tensor> inputs,
                       int threads) const;

 private:
  const void* const* api_ = nullptr;
  std::string version_;
};

}  // namespace cambium::bench
