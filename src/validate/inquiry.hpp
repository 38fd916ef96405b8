// Questions about vertices that live on other devices. A block of them goes out, the devices answer from what they
// know of their own vertices, and every answer comes back to its question.
//
// A small table remembers what was asked last in a block, so that a hub or the root, which many questions are about, is
// asked for a few times only: its device is not flooded, however many devices there are.
#pragma once

#include "base/parallel.hpp"
#include "exchange/bins.hpp"
#include "exchange/exchange.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire {

inline constexpr std::uint64_t questions_per_block = 1 << 19;  // of one device: a dozen MB of questions and answers
inline constexpr std::uint64_t questions_per_thread = 1 << 13;

// Where a vertex lives: a device, and the vertex's number there.
struct Place {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::uint32_t device = nowhere;
  Vertex number = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

template <typename Answer>
class Inquiry {
 public:
  explicit Inquiry(Exchange& exchange)
      : exchange_(exchange),
        questions_(exchange.devices()),
        replies_(exchange.devices()),
        first_answer_(static_cast<std::size_t>(exchange.devices()) + 1)
  {
  }

  // All devices call it together, each with any number of questions. Then answer(i) is answer_of(asked[i].number) as
  // called on the device of asked[i].
  template <typename AnswerOf>
  void ask(std::span<const Place> asked, Team team, AnswerOf&& answer_of)
  {
    pose(asked);
    send_bins(exchange_, questions_, [&](int sender, std::span<const Vertex> numbers) {
      auto& replies = replies_.of(sender);
      replies.resize(numbers.size());
      team.for_blocks(numbers.size(), questions_per_thread, [&](std::uint64_t first, std::uint64_t last, int) {
        for (auto i = first; i < last; ++i) replies[i] = answer_of(numbers[i]);
      });
    });
    send_bins(exchange_, replies_, [&](int sender, std::span<const Answer> answers) {
      std::copy(answers.begin(), answers.end(), &answers_[first_answer_[static_cast<std::size_t>(sender)]]);
    });
  }

  const Answer& answer(std::size_t question) const
  {
    return answers_[first_answer_[asked_[question].device] + position_[question]];
  }

 private:
  // At scale 20 on 4 devices, 2^16 make for two thirds of the bytes that 2^12 do, in the same time.
  static constexpr std::size_t most_recent = 1 << 16;

  struct Recent {
    Place place;
    std::uint32_t position = 0;  // among the questions to that device
  };

  void pose(std::span<const Place> asked)
  {
    asked_ = asked;
    position_.resize(asked.size());
    recent_.assign(std::bit_ceil(std::clamp<std::size_t>(asked.size(), 1, most_recent)), {});
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Place const place = asked[i];
      Recent& recent = recent_[(place.number + place.device) & (recent_.size() - 1)];
      if (recent.place != place) {
        auto& questions = questions_.of(static_cast<int>(place.device));
        recent = {place, static_cast<std::uint32_t>(questions.size())};
        questions.push_back(place.number);
      }
      position_[i] = recent.position;
    }
    for (std::size_t device = 0; device + 1 < first_answer_.size(); ++device)
      first_answer_[device + 1] = first_answer_[device] + questions_.of(static_cast<int>(device)).size();
    answers_.resize(first_answer_.back());
  }

  Exchange& exchange_;
  Bins<Vertex> questions_;
  Bins<Answer> replies_;
  std::vector<Recent> recent_;
  std::span<const Place> asked_;
  std::vector<std::uint32_t> position_;      // of the answer among those of its device
  std::vector<std::uint64_t> first_answer_;  // of every device
  std::vector<Answer> answers_;
};

}  // namespace brushfire
