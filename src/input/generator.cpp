// Every generator is a formula from the number of an edge to the edge, so that any range can be had in
// parallel and nothing is stored.
#include "input/generator.hpp"

#include "base/error.hpp"
#include "input/kronecker.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
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

// A well-mixed 64-bit number from a counter (the finaliser of splitmix64).
std::uint64_t mixed(std::uint64_t x)
{
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
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
  std::uint64_t vertices = 1, layer = 1;
  for (std::uint64_t level = 0; level < depth && vertices < countable; ++level) {
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
  bool positive;  // every number is a size and may not be 0
  std::unique_ptr<EdgeSource> (*make)(const Request&);
};

constexpr Generator generators[] = {
    {"kron", "kron:SCALE[:EDGEFACTOR[:SEED]]", ':', 1, 3, false, make_kron},
    {"uniform", "uniform:SCALE[:EDGEFACTOR[:SEED]]", ':', 1, 3, false, make_uniform},
    {"grid", "grid:ROWSxCOLS", 'x', 2, 2, true, make_grid},
    {"path", "path:N", ':', 1, 1, true, make_path},
    {"cycle", "cycle:N", ':', 1, 1, true, make_cycle},
    {"star", "star:N", ':', 1, 1, true, make_star},
    {"complete", "complete:N", ':', 1, 1, true, make_complete},
    {"tree", "tree:ARITYxDEPTH", 'x', 2, 2, true, make_tree},
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
  Request request{spec, {}};
  std::string_view rest = spec.substr(generator.name.size());
  char separator = ':';
  while (!rest.empty()) {
    if (rest.front() != separator) fail(ErrorKind::usage, "{}: expected {}", spec, generator.form);
    rest.remove_prefix(1);
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc::result_out_of_range) fail(ErrorKind::memory, "{}: too large for any memory there is", spec);
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
