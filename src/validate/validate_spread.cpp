// The passes of validate_tree(), each device with its own vertices and tuples: levels from the parents (rules 1 and 2);
// the tuples block by block, where a device asks for the levels of both ends (rules 3 and 4) and tells the device of
// the lower one which parent it met (a mark); the marks (rule 5). After a pass the devices compare what they found, and
// the one with the first witness speaks for all.
//
// Asking for levels first moves the fewest bytes: 8 for an end, then 12 for those tuples only that go one level down to
// a vertex without a mark.
#include "validate/validate_spread.hpp"

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "exchange/bins.hpp"
#include "exchange/gather.hpp"
#include "input/edge_blocks.hpp"
#include "validate/arc.hpp"
#include "validate/inquiry.hpp"
#include "validate/lowest.hpp"
#include "validate/sentences.hpp"
#include "validate/spread_levels.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t tuples_per_block = questions_per_block / 2;
constexpr std::uint64_t marks_per_thread = 1 << 13;

struct TreeFindings {
  std::uint64_t not_rooted = Lowest::none;    // vertices
  std::uint64_t no_parent = Lowest::none;     // vertices
  std::uint64_t root_missing = Lowest::none;  // the root
  std::uint64_t reached = 0;
  std::uint64_t depth = 0;
};

struct EdgeFindings {
  std::uint64_t too_steep = Lowest::none;  // tuples
  std::uint64_t leaving = Lowest::none;    // tuples
  std::uint64_t too_deep = Lowest::none;   // vertices
  std::uint64_t unmarked = Lowest::none;   // vertices
  std::uint64_t inside = 0;                // tuples with both ends in the tree, self-loops not counted
};

template <typename Findings>
std::uint64_t lowest(const std::vector<Findings>& all, std::uint64_t Findings::*found)
{
  std::uint64_t lowest = Lowest::none;
  for (const Findings& findings : all) lowest = std::min(lowest, findings.*found);
  return lowest;
}

template <typename Findings>
std::uint64_t total(const std::vector<Findings>& all, std::uint64_t Findings::*counted)
{
  std::uint64_t total = 0;
  for (const Findings& findings : all) total += findings.*counted;
  return total;
}

// The lowest tuple that breaks a rule, kept as it was met: its block is gone when the verdict is known.
struct Offence {
  std::uint64_t tuple = Lowest::none;
  Edge edge{};
  std::int32_t source_level = unreached;
  std::int32_t target_level = unreached;
};

using Sentence = std::function<std::string(std::uint64_t witness)>;

struct Mark {
  Vertex child;
  Place parent;
};

class SpreadJudge {
 public:
  SpreadJudge(const TupleShare& tuples, const DealtLabels& labels, Label root, ParentsView parents,
              const TreeRules& rules, Exchange& exchange, Team team)
      : tuples_(tuples),
        labels_(labels),
        root_(root),
        parents_(parents),
        rules_(rules),
        exchange_(exchange),
        own_device_(static_cast<std::uint32_t>(exchange.device())),
        team_(team),
        tree_(derive_spread_levels(labels, root, parents, exchange, team)),
        inquiry_(exchange),
        marks_(words_for(labels.size())),
        mark_bins_(exchange.devices()),
        bins_of_thread_(static_cast<std::size_t>(team.threads), mark_bins_)
  {
  }

  Verdict judge(Progress& progress)
  {
    if (!parents_break_a_rule()) edges_break_a_rule(progress);
    return verdict_;
  }

 private:
  bool parents_break_a_rule()
  {
    TreeFindings const own_findings = tree_findings();
    auto const findings = gather(exchange_, own_findings);
    verdict_.reached = total(findings, &TreeFindings::reached);
    for (const TreeFindings& of_device : findings)
      verdict_.depth = std::max(verdict_.depth, static_cast<std::int64_t>(of_device.depth));
    auto const breaks = [&](int rule, std::uint64_t TreeFindings::*found, const Sentence& sentence) {
      return is_broken(rule, lowest(findings, found), own_findings.*found, sentence);
    };
    return breaks(1, &TreeFindings::not_rooted, [&](std::uint64_t v) { return not_rooted(own(v)); }) ||
           breaks(2, &TreeFindings::no_parent, [&](std::uint64_t v) { return no_parent(own(v)); }) ||
           breaks(4, &TreeFindings::root_missing, [&](std::uint64_t) { return sentences::root_missing(root_); });
  }

  bool edges_break_a_rule(Progress& progress)
  {
    check_edges(progress);
    EdgeFindings const own_findings = edge_findings();
    auto const findings = gather(exchange_, own_findings);
    verdict_.nedge = rules_.edges_in(total(findings, &EdgeFindings::inside), tuples_.source.facts());
    auto const breaks = [&](int rule, std::uint64_t EdgeFindings::*found, const Sentence& sentence) {
      return is_broken(rule, lowest(findings, found), own_findings.*found, sentence);
    };
    return breaks(3, &EdgeFindings::too_steep, [&](std::uint64_t) { return joins_levels(); }) ||
           breaks(4, &EdgeFindings::too_deep, [&](std::uint64_t v) { return too_deep(own(v)); }) ||
           breaks(4, &EdgeFindings::leaving, [&](std::uint64_t) { return leaves_tree(); }) ||
           breaks(5, &EdgeFindings::unmarked, [&](std::uint64_t v) { return not_an_edge(own(v)); });
  }

  std::uint64_t index_of(std::uint64_t own) const
  {
    return labels_.dealing().index_of({static_cast<std::uint32_t>(labels_.device()), static_cast<Vertex>(own)});
  }
  Vertex own(std::uint64_t index) const { return labels_.dealing().home_of(index).number; }
  Place place_of(Label label) const
  {
    Home const home = labels_.dealing().home_of(labels_.index_of(label));
    return {home.device, home.number};
  }

  TreeFindings tree_findings() const
  {
    std::uint64_t root_missing = Lowest::none;
    if (labels_.device_of(root_) == labels_.device() && tree_.levels[labels_.number_of(root_)] == unreached)
      root_missing = labels_.index_of(root_);
    return {tree_.rule_1, tree_.rule_2, root_missing, tree_.reached, static_cast<std::uint64_t>(tree_.depth)};
  }

  // All devices go through as many blocks as the one with the most tuples needs.
  void check_edges(Progress& progress)
  {
    auto const shares = gather(exchange_, tuples_.last - tuples_.first);
    std::uint64_t most = 0;
    std::uint64_t all = 0;
    for (std::uint64_t const share : shares) {
      most = std::max(most, share);
      all += share;
    }
    bool const reports = exchange_.device() == 0;
    if (reports) progress.begin("validating", all, "edges");
    for (std::uint64_t done = 0; done < most; done += tuples_per_block) {
      check_block(tuples_.first + done);
      if (!reports) continue;
      std::uint64_t in_block = 0;
      for (std::uint64_t const share : shares)
        in_block += std::min(share, done + tuples_per_block) - std::min(share, done);
      progress.advance(in_block);
    }
    if (reports) progress.end();
  }

  void check_block(std::uint64_t first)
  {
    first = std::min(first, tuples_.last);
    read_block(first, std::min(tuples_.last - first, tuples_per_block));
    inquiry_.ask(ends_, team_, [&](Vertex v) { return level_and_mark(v); });

    std::uint64_t const index = tuples_.in_front + first;
    team_.for_blocks(edges_.size(), edges_per_block, [&](std::uint64_t from, std::uint64_t to, int thread) {
      auto& to_mark = bins_of_thread_[static_cast<std::size_t>(thread)];
      std::uint64_t inside = 0;
      for (auto i = from; i < to; ++i)
        if (ends_[2 * i] != ends_[2 * i + 1]) inside += check_edge(i, index, to_mark);
      inside_.fetch_add(inside, std::memory_order_relaxed);
    });
    remember(too_steep_, index, steep_offence_);
    remember(leaving_, index, leaving_offence_);
    send_marks();
  }

  // The level of a vertex, its bits flipped when the vertex is marked: it need not hear of parents any more. The root
  // is never marked, so `unreached` stays for itself.
  std::int32_t level_and_mark(Vertex v) const
  {
    std::int32_t const level = tree_.levels[v];
    return level > 0 && test_bit(marks_.data(), v) ? ~level : level;
  }
  bool is_marked(std::uint64_t end) const { return inquiry_.answer(end) < unreached; }
  std::int32_t level_of(std::uint64_t end) const
  {
    return is_marked(end) ? ~inquiry_.answer(end) : inquiry_.answer(end);
  }

  // The ends of tuple i are ends_[2i] and ends_[2i+1].
  void read_block(std::uint64_t first, std::uint64_t count)
  {
    edges_.resize(count);
    ends_.resize(2 * count);
    team_.for_blocks(count, edges_per_block, [&](std::uint64_t from, std::uint64_t to, int) {
      tuples_.source.read(first + from, {edges_.data() + from, to - from});
      for (auto i = from; i < to; ++i) {
        ends_[2 * i] = place_of(edges_[i].source);
        ends_[2 * i + 1] = place_of(edges_[i].target);
      }
    });
  }

  // Whether both ends are in the tree.
  bool check_edge(std::uint64_t i, std::uint64_t index, Bins<Mark>& to_mark)
  {
    check_arc(2 * i, 2 * i + 1, index + i, to_mark);
    if (!rules_.directed) check_arc(2 * i + 1, 2 * i, index + i, to_mark);
    return level_of(2 * i) != unreached && level_of(2 * i + 1) != unreached;
  }

  // A vertex one level below the other end of its tuple learns of that end, and knows whether it is its parent.
  void check_arc(std::uint64_t from, std::uint64_t to, std::uint64_t index, Bins<Mark>& to_mark)
  {
    Arc const arc = judge_arc(level_of(from), level_of(to), rules_.deepest());
    if (arc == Arc::leaves) leaving_.offer(index);
    if (arc == Arc::too_steep) too_steep_.offer(index);
    if (arc != Arc::one_down || is_marked(to)) return;
    if (ends_[to].device == own_device_)
      mark(ends_[to].number, from % 2 == 0 ? edges_[from / 2].source : edges_[from / 2].target);
    else
      to_mark.add(static_cast<int>(ends_[to].device), {ends_[to].number, ends_[from]});
  }

  void mark(Vertex child, Label met)
  {
    if (parents_[child] == met && !test_bit_shared(marks_.data(), child)) claim_bit(marks_.data(), child);
  }

  // Blocks come by rising index, so the first offence is the lowest.
  void remember(const Lowest& found, std::uint64_t index, Offence& offence) const
  {
    if (!found.found() || offence.tuple != Lowest::none) return;
    std::uint64_t const i = found.index() - index;
    offence = {found.index(), edges_[i], level_of(2 * i), level_of(2 * i + 1)};
  }

  void send_marks()
  {
    for (auto& to_mark : bins_of_thread_) append(mark_bins_, to_mark);
    send_bins(exchange_, mark_bins_, [&](int, std::span<const Mark> marks) {
      team_.for_blocks(marks.size(), marks_per_thread, [&](std::uint64_t first, std::uint64_t last, int) {
        for (const Mark& met : marks.subspan(first, last - first)) mark(met.child, label_at(met.parent));
      });
    });
  }

  Label label_at(Place place) const { return labels_.label_of(static_cast<int>(place.device), place.number); }

  EdgeFindings edge_findings()
  {
    Lowest too_deep;
    Lowest unmarked;
    std::int64_t const deepest = rules_.deepest();
    // Whole words of marks.
    team_.for_blocks(labels_.size(), 256 * word_bits, [&](std::uint64_t first, std::uint64_t last, int) {
      for (auto v = first; v < last; ++v) {
        if (tree_.levels[v] > deepest) too_deep.offer(index_of(v));
        if (tree_.levels[v] > 0 && !test_bit(marks_.data(), v)) unmarked.offer(index_of(v));
      }
    });
    return {too_steep_.index(), leaving_.index(), too_deep.index(), unmarked.index(), inside_};
  }

  // Whether anybody found this rule broken. Who has the lowest witness puts it into words, for all.
  bool is_broken(int rule, std::uint64_t lowest, std::uint64_t own_lowest, const Sentence& sentence)
  {
    if (lowest == Lowest::none) return false;
    Bins<char> words(exchange_.devices());
    if (own_lowest == lowest) {
      std::string const said = sentence(lowest);
      for (int device = 0; device < exchange_.devices(); ++device) words.of(device).assign(said.begin(), said.end());
    }
    std::string heard;
    send_bins(exchange_, words, [&](int, std::span<const char> said) { heard.append(said.data(), said.size()); });
    verdict_ = broken(std::move(verdict_), rule, heard);
    return true;
  }

  std::string not_rooted(Vertex v) const { return sentences::not_rooted(labels_.label(v), parents_[v], root_); }
  std::string no_parent(Vertex v) const
  {
    return sentences::no_parent(labels_.label(v), parents_[v], labels_.find(parents_[v]).has_value());
  }
  std::string joins_levels() const
  {
    return sentences::joins_levels(steep_offence_.edge, steep_offence_.source_level, steep_offence_.target_level);
  }
  std::string too_deep(Vertex v) const
  {
    return sentences::too_deep(labels_.label(v), tree_.levels[v], rules_.deepest());
  }
  std::string leaves_tree() const
  {
    return sentences::leaves_tree(leaving_offence_.edge, leaving_offence_.source_level != unreached);
  }
  std::string not_an_edge(Vertex v) const { return sentences::not_an_edge(labels_.label(v), parents_[v]); }

  const TupleShare& tuples_;
  const DealtLabels& labels_;
  Label root_;
  ParentsView parents_;
  const TreeRules& rules_;
  Exchange& exchange_;
  std::uint32_t own_device_;
  Team team_;
  TreeLevels tree_;
  Inquiry<std::int32_t> inquiry_;
  Buffer<Word> marks_;  // own vertices whose edge to their parent was met
  Bins<Mark> mark_bins_;
  std::vector<Bins<Mark>> bins_of_thread_;
  std::vector<Edge> edges_;     // of the block
  std::vector<Place> ends_;     // of the block
  Lowest too_steep_, leaving_;  // tuples
  Offence steep_offence_, leaving_offence_;
  std::atomic<std::uint64_t> inside_{0};
  Verdict verdict_;
};

// Devices that were given too much or too little are found by all, so that nobody waits for one that has thrown.
void check_request(const TupleShare& tuples, const DealtLabels& labels, Label root, ParentsView parents,
                   Exchange& exchange)
{
  struct Sizes {
    std::uint64_t parents;
    std::uint64_t vertices;
  };
  if (!labels.find(root)) refuse_root(tuples.source, root);
  auto const sizes = gather(exchange, Sizes{parents.size(), labels.size()});
  if (std::any_of(sizes.begin(), sizes.end(), [](const Sizes& size) { return size.parents != size.vertices; }))
    refuse_size(tuples.source, total(sizes, &Sizes::parents), labels.total());
}

}  // namespace

Verdict validate_spread_tree(const TupleShare& tuples, const DealtLabels& labels, Label root, ParentsView parents,
                             const TreeRules& rules, Exchange& exchange, Team team, Progress& progress)
{
  check_request(tuples, labels, root, parents, exchange);
  return SpreadJudge(tuples, labels, root, parents, rules, exchange, team).judge(progress);
}

}  // namespace brushfire
