#include <brushfire/progress.hpp>

namespace brushfire {

Progress& Progress::none()
{
  class Silent final : public Progress {
    void begin(std::string_view, std::uint64_t, std::string_view) override {}
    void advance(std::uint64_t) override {}
    void end() override {}
    void note(std::string_view) override {}
  };
  static Silent silent;
  return silent;
}

}  // namespace brushfire
