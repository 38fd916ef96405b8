// Every generator is a formula from the number of an edge to the edge, so that any range can be had in
// parallel and nothing is stored.
#include "input/generator.hpp"

#include "base/error.hpp"
#include "base/mixed.hpp"
#include "input/kronecker.hpp"

#include <brushfire/graph.hpp>  // names_generator() is public

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t countable = std::uint64_t{1} << 62;  // sizes past this cannot even be counted safely

template <typename Formula>
class FormulaEdges final : public EdgeSource {
 public:
  FormulaEdges(EdgeFacts facts, Formula formula) : EdgeSource(std::move(facts)), formula_(formula) {}

  void read(std::uint64_t first, std::span<Edge> out) const override
  {
    for (std::uint64_t i = 0; i < out.size(); ++i) out[i] = formula_(first + i);
  }

 private:
  Formula formula_;
};

Label as_label(std::uint64_t number) { return static_cast<Label>(number); }

template <typename Formula>
std::unique_ptr<EdgeSource> by_formula(std::string_view spec, std::uint64_t vertices, std::uint64_t edges,
                                       Formula formula)
{
  EdgeFacts facts;
  facts.name = spec;
  facts.edges = edges;
  facts.declared = LabelRange{0, vertices};
  return std::make_unique<FormulaEdges<Formula>>(std::move(facts), formula);
}

// The text of a generator, taken apart: numbers after the name, separated by ':' or 'x'.
struct Request {
  std::string_view spec;
  std::vector<std::uint64_t> numbers;
  double fraction = 0;  // the one number that need not be whole, where a generator has one

  std::uint64_t number_or(std::size_t index, std::uint64_t fallback) const
  {
    return index < numbers.size() ? numbers[index] : fallback;
  }
};

std::uint64_t checked_product(std::string_view spec, std::uint64_t a, std::uint64_t b)
{
  if (b != 0 && a > countable / b) fail(ErrorKind::memory, "{}: too large for any memory there is", spec);
  return a * b;
}

int checked_scale(const Request& request)
{
  std::uint64_t const scale = request.numbers[0];
  if (scale == 0) fail(ErrorKind::usage, "{}: the scale must be at least 1", request.spec);
  return static_cast<int>(std::min<std::uint64_t>(scale, 1000));
}

std::unique_ptr<EdgeSource> make_kron(const Request& request)
{
  int const scale = checked_scale(request);
  std::uint64_t const edge_factor = request.number_or(1, 16);
  if (edge_factor == 0) fail(ErrorKind::usage, "{}: the edge factor must be at least 1", request.spec);
  KroneckerSeeds seeds;
  seeds.first = request.number_or(2, seeds.first);
  return std::make_unique<KroneckerEdges>(request.spec, scale, edge_factor, seeds);
}

std::unique_ptr<EdgeSource> make_uniform(const Request& request)
{
  int const scale = checked_scale(request);
  std::uint64_t const edge_factor = request.number_or(1, 16);
  if (scale > 56) fail(ErrorKind::memory, "{}: too large for any memory there is", request.spec);
  if (edge_factor == 0) fail(ErrorKind::usage, "{}: the edge factor must be at least 1", request.spec);
  std::uint64_t const vertices = std::uint64_t{1} << scale;
  std::uint64_t const key = mixed(request.number_or(2, 2));
  std::uint64_t const edges = checked_product(request.spec, edge_factor, vertices);
  return by_formula(request.spec, vertices, edges, [key, shift = 64 - scale](std::uint64_t i) {
    return Edge{as_label(mixed(key + 2 * i) >> shift), as_label(mixed(key + 2 * i + 1) >> shift)};
  });
}

// Ends are drawn with weight (i+1)^(-1/(exponent-1)), which makes the expected degrees follow a power law (Chung and
// Lu); the weights' distribution function is inverted in closed form. Labels are then spread by a bijection.
std::unique_ptr<EdgeSource> make_powerlaw(const Request& request)
{
  std::uint64_t const vertices = request.numbers[0];
  double const exponent = request.fraction;
  if (vertices == 0 || !(exponent > 2 && exponent <= 100))
    fail(ErrorKind::usage, "{}: needs at least one vertex and an exponent above 2, at most 100", request.spec);
  std::uint64_t const edges = checked_product(request.spec, 16, vertices);
  std::uint64_t const key = mixed(request.number_or(2, 2));
  std::uint64_t step = 0x9e3779b97f4a7c15 % vertices;
  while (std::gcd(step, vertices) != 1) ++step;
  double const power = (exponent - 1) / (exponent - 2);
  auto const end = [=](std::uint64_t counter) {
    double const uniform = static_cast<double>(mixed(key + counter) >> 11) * 0x1p-53;
    auto const rank = static_cast<std::uint64_t>(static_cast<double>(vertices) * std::pow(uniform, power));
    unsigned __int128 const spread = static_cast<unsigned __int128>(std::min(rank, vertices - 1)) * step;
    return as_label(static_cast<std::uint64_t>(spread % vertices));
  };
  return by_formula(request.spec, vertices, edges, [=](std::uint64_t i) { return Edge{end(2 * i), end(2 * i + 1)}; });
}

// A Kronecker graph, and a path that starts at the source of its first edge: shallow and deep in one graph.
class TailEdges final : public EdgeSource {
 public:
  TailEdges(std::string_view name, int scale, std::uint64_t length) : EdgeSource({}), kron_(scale, 16)
  {
    facts_ = kron_.facts();
    facts_.name = name;
    facts_.edges += length;
    facts_.declared->count += length;
    Edge first;
    kron_.read(0, {&first, 1});
    hangs_on_ = first.source;
  }

  void read(std::uint64_t first, std::span<Edge> out) const override
  {
    std::uint64_t const of_kron = kron_.facts().edges;
    std::uint64_t const from_kron = first < of_kron ? std::min<std::uint64_t>(out.size(), of_kron - first) : 0;
    kron_.read(first, out.first(from_kron));
    Label const tail_start = as_label(kron_.facts().declared->count);
    for (std::uint64_t i = from_kron; i < out.size(); ++i) {
      Label const along = as_label(first + i - of_kron);
      out[i] = {along == 0 ? hangs_on_ : tail_start + along - 1, tail_start + along};
    }
  }

 private:
  KroneckerEdges kron_;
  Label hangs_on_ = 0;
};

std::unique_ptr<EdgeSource> make_tail(const Request& request)
{
  checked_product(request.spec, request.numbers[1], 2);  // both counts grow by the length
  return std::make_unique<TailEdges>(request.spec, checked_scale(request), request.numbers[1]);
}

std::unique_ptr<EdgeSource> make_grid(const Request& request)
{
  std::uint64_t const rows = request.numbers[0], columns = request.numbers[1];
  std::uint64_t const vertices = checked_product(request.spec, rows, columns);
  std::uint64_t const across = rows * (columns - 1);
  return by_formula(request.spec, vertices, across + (rows - 1) * columns, [=](std::uint64_t i) {
    if (i < across) {
      std::uint64_t const from = i / (columns - 1) * columns + i % (columns - 1);
      return Edge{as_label(from), as_label(from + 1)};
    }
    return Edge{as_label(i - across), as_label(i - across + columns)};
  });
}

std::unique_ptr<EdgeSource> make_path(const Request& request)
{
  return by_formula(request.spec, request.numbers[0], request.numbers[0] - 1, [](std::uint64_t i) {
    return Edge{as_label(i), as_label(i + 1)};
  });
}

std::unique_ptr<EdgeSource> make_cycle(const Request& request)
{
  std::uint64_t const vertices = request.numbers[0];
  return by_formula(request.spec, vertices, vertices, [=](std::uint64_t i) {
    return Edge{as_label(i), as_label(i + 1 == vertices ? 0 : i + 1)};
  });
}

std::unique_ptr<EdgeSource> make_star(const Request& request)
{
  return by_formula(request.spec, request.numbers[0], request.numbers[0] - 1, [](std::uint64_t i) {
    return Edge{0, as_label(i + 1)};
  });
}

std::unique_ptr<EdgeSource> make_complete(const Request& request)
{
  std::uint64_t const vertices = request.numbers[0];
  std::uint64_t const edges = checked_product(request.spec, vertices, vertices - 1) / 2;
  // Edge i joins `high` with the i - high*(high-1)/2-th of the vertices below it.
  return by_formula(request.spec, vertices, edges, [](std::uint64_t i) {
    auto high = static_cast<std::uint64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(i))) / 2);
    while (high * (high - 1) / 2 > i) --high;  // the square root is rounded
    while (high * (high + 1) / 2 <= i) ++high;
    return Edge{as_label(i - high * (high - 1) / 2), as_label(high)};
  });
}

std::unique_ptr<EdgeSource> make_tree(const Request& request)
{
  std::uint64_t const arity = request.numbers[0], depth = request.numbers[1];
  std::uint64_t vertices = arity == 1 ? depth + 1 : 1, layer = 1;
  for (std::uint64_t level = 0; arity > 1 && level < depth; ++level) {
    layer = checked_product(request.spec, layer, arity);
    vertices += layer;
  }
  return by_formula(request.spec, vertices, vertices - 1, [=](std::uint64_t i) {
    return Edge{as_label(i / arity), as_label(i + 1)};
  });
}

struct Generator {
  std::string_view name;
  std::string_view form;
  char separator;  // between the numbers
  std::size_t least_numbers, most_numbers;
  bool positive;    // every number is a size and may not be 0
  int fraction_at;  // which number need not be whole; -1: all are
  std::unique_ptr<EdgeSource> (*make)(const Request&);
};

constexpr std::size_t most_sizes = 2;  // of the numbers; a third is a seed

constexpr Generator generators[] = {
    {"kron", "kron:SCALE[:EDGEFACTOR[:SEED]]", ':', 1, 3, false, -1, make_kron},
    {"uniform", "uniform:SCALE[:EDGEFACTOR[:SEED]]", ':', 1, 3, false, -1, make_uniform},
    {"powerlaw", "powerlaw:N:EXPONENT[:SEED]", ':', 2, 3, false, 1, make_powerlaw},
    {"tail", "tail:SCALE:LENGTH", ':', 2, 2, false, -1, make_tail},
    {"grid", "grid:ROWSxCOLS", 'x', 2, 2, true, -1, make_grid},
    {"path", "path:N", ':', 1, 1, true, -1, make_path},
    {"cycle", "cycle:N", ':', 1, 1, true, -1, make_cycle},
    {"star", "star:N", ':', 1, 1, true, -1, make_star},
    {"complete", "complete:N", ':', 1, 1, true, -1, make_complete},
    {"tree", "tree:ARITYxDEPTH", 'x', 2, 2, true, -1, make_tree},
};

const Generator* generator_named_by(std::string_view spec)
{
  auto const colon = spec.find(':');
  if (colon == std::string_view::npos) return nullptr;
  auto const* const found = std::find_if(std::begin(generators), std::end(generators),
                                         [&](const Generator& g) { return g.name == spec.substr(0, colon); });
  return found == std::end(generators) ? nullptr : found;
}

Request taken_apart(std::string_view spec, const Generator& generator)
{
  Request request{spec, {}, 0};
  std::string_view rest = spec.substr(generator.name.size());
  char separator = ':';
  while (!rest.empty()) {
    if (rest.front() != separator) fail(ErrorKind::usage, "{}: expected {}", spec, generator.form);
    rest.remove_prefix(1);
    std::uint64_t number = 0;
    bool const fractional = static_cast<int>(request.numbers.size()) == generator.fraction_at;
    const char* const stop = rest.data() + rest.size();
    auto const [end, error] = fractional
                                  ? std::from_chars(rest.data(), stop, request.fraction, std::chars_format::fixed)
                                  : std::from_chars(rest.data(), stop, number);
    if (error == std::errc::result_out_of_range && request.numbers.size() < most_sizes)
      fail(ErrorKind::memory, "{}: too large for any memory there is", spec);
    if (error != std::errc{}) fail(ErrorKind::usage, "{}: expected {}", spec, generator.form);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    request.numbers.push_back(number);
    separator = generator.separator;
  }
  if (request.numbers.size() < generator.least_numbers || request.numbers.size() > generator.most_numbers)
    fail(ErrorKind::usage, "{}: expected {}", spec, generator.form);
  for (std::uint64_t const number : request.numbers) {
    if (generator.positive && number == 0) fail(ErrorKind::usage, "{}: sizes start at 1", spec);
    if (generator.positive && number > countable)
      fail(ErrorKind::memory, "{}: too large for any memory there is", spec);
  }
  return request;
}

}  // namespace

bool names_generator(std::string_view spec) { return generator_named_by(spec) != nullptr; }

std::unique_ptr<EdgeSource> open_generator(std::string_view spec)
{
  const Generator* const generator = generator_named_by(spec);
  if (generator == nullptr) fail(ErrorKind::usage, "{}: no such generator", spec);
  return generator->make(taken_apart(spec, *generator));
}

}  // namespace brushfire
