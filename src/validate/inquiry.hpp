// Questions about vertices that may live on other devices. A block of them goes out, the devices answer from what they
// know of their own vertices, and every answer comes back to its question. A device answers itself at once.
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
        own_device_(static_cast<std::uint32_t>(exchange.device())),
        questions_(exchange.devices()),
        replies_(exchange.devices())
  {
  }

  // All devices call it together, each with any number of questions. Then answer(i) is answer_of(asked[i].number) as
  // called on the device of asked[i].
  template <typename AnswerOf>
  void ask(std::span<const Place> asked, Team team, AnswerOf&& answer_of)
  {
    pose(asked, team);
    send_bins(exchange_, questions_, [&](int sender, std::span<const Vertex> numbers) {
      auto& replies = replies_.of(sender);
      replies.resize(numbers.size());
      team.for_blocks(numbers.size(), questions_per_thread, [&](std::uint64_t first, std::uint64_t last, int) {
        for (auto i = first; i < last; ++i) replies[i] = answer_of(numbers[i]);
      });
    });
    send_bins(exchange_, replies_, [&](int sender, std::span<const Answer> answers) {
      std::copy(answers.begin(), answers.end(), &heard_[first_heard_[static_cast<std::size_t>(sender)]]);
    });
    hear(asked, team, answer_of);
  }

  const Answer& answer(std::size_t question) const { return answers_[question]; }

 private:
  // At scale 20 on 4 devices, 2^16 make for two thirds of the bytes that 2^12 do, in the same time.
  static constexpr std::size_t most_recent = 1 << 16;

  struct Recent {
    Place place;
    std::uint32_t position = 0;  // among the questions of the section to that device
  };

  // Neighbouring questions, which one thread poses.
  struct Section {
    explicit Section(int devices) : questions(devices), first_answer(static_cast<std::size_t>(devices)) {}

    std::vector<Recent> recent;
    Bins<Vertex> questions;
    std::vector<std::uint64_t> first_answer;  // of every device, among all that is heard
  };

  bool is_own(Place place) const { return place.device == own_device_; }

  template <typename Body>
  void for_sections(std::uint64_t questions, Team team, Body&& body)
  {
    auto const threads = static_cast<std::uint64_t>(team.threads);
    std::uint64_t const in_section = std::max(questions_per_thread, (questions + threads - 1) / threads);
    while (sections_.size() * in_section < questions) sections_.emplace_back(exchange_.devices());
    team.for_blocks(questions, in_section, [&](std::uint64_t first, std::uint64_t last, int) {
      body(sections_[first / in_section], first, last);
    });
  }

  void pose(std::span<const Place> asked, Team team)
  {
    position_.resize(asked.size());
    for_sections(asked.size(), team, [&](Section& section, std::uint64_t first, std::uint64_t last) {
      section.recent.assign(std::bit_ceil(std::clamp<std::size_t>(last - first, 1, most_recent)), {});
      for (auto i = first; i < last; ++i)
        if (!is_own(asked[i])) position_[i] = position_of(asked[i], section);
    });
    first_heard_.assign(static_cast<std::size_t>(exchange_.devices()), 0);
    std::uint64_t heard = 0;
    for (int device = 0; device < exchange_.devices(); ++device) {
      auto const of_device = static_cast<std::size_t>(device);
      first_heard_[of_device] = heard;
      for (Section& section : sections_) {
        section.first_answer[of_device] = heard;
        heard += section.questions.of(device).size();
      }
    }
    heard_.resize(heard);
    for (Section& section : sections_) append(questions_, section.questions);
  }

  static std::uint32_t position_of(Place place, Section& section)
  {
    Recent& recent = section.recent[(place.number + place.device) & (section.recent.size() - 1)];
    if (recent.place != place) {
      auto& questions = section.questions.of(static_cast<int>(place.device));
      recent = {place, static_cast<std::uint32_t>(questions.size())};
      questions.push_back(place.number);
    }
    return recent.position;
  }

  template <typename AnswerOf>
  void hear(std::span<const Place> asked, Team team, AnswerOf&& answer_of)
  {
    answers_.resize(asked.size());
    for_sections(asked.size(), team, [&](const Section& section, std::uint64_t first, std::uint64_t last) {
      for (auto i = first; i < last; ++i)
        answers_[i] = is_own(asked[i]) ? answer_of(asked[i].number)
                                       : heard_[section.first_answer[asked[i].device] + position_[i]];
    });
  }

  Exchange& exchange_;
  std::uint32_t own_device_;
  Bins<Vertex> questions_;
  Bins<Answer> replies_;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> position_;     // of a question among those of its section to its device
  std::vector<std::uint64_t> first_heard_;  // of every device
  std::vector<Answer> heard_;               // device by device, section by section
  std::vector<Answer> answers_;             // to every question
};

}  // namespace brushfire
