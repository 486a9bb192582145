#include "cases/similarity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/memory.hpp"
#include "base/numbers.hpp"
#include "base/sums.hpp"
#include "base/threads.hpp"
#include "cases/loops.hpp"
#include "search/kernels/kernels.hpp"

namespace priorcase::cases {

namespace {

using search::panel_rows;
using search::panel_words;

static_assert(n_groups == search::n_bins);

constexpr const char* code_rule = "a code has no place in its table";
constexpr const char* unit_rule = "similarities are numbers from 0 to 1";

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// The best k matches so far.
class BestMatches {
 public:
  explicit BestMatches(std::size_t k) : k_(k) {}

  // Returns the similarity below which a match is of no use.
  double least() const {
    return k_ == 0 ? base::infinity : heap_.size() < k_ ? -base::infinity : heap_.front().similarity;
  }

  void offer(const Match& match) {
    if (heap_.size() < k_) {
      heap_.push_back(match);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (k_ > 0 && match < heap_.front()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = match;
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  void offer(const BestMatches& others) {
    for (const Match& match : others.heap_) offer(match);
  }

  // Returns the matches, the most similar first, ties by position.
  std::vector<Match> take() {
    std::sort_heap(heap_.begin(), heap_.end());
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  std::vector<Match> heap_;
};

// The similarities of cases to one query.
class CaseScores {
 public:
  static constexpr std::size_t block = 2048;

  explicit CaseScores(const Query& query) : asked_(query.attributes), n_cases_(query.n_cases), ignore_(query.ignore) {
    std::erase_if(asked_, [](const AskedAttribute& attribute) { return attribute.weight == 0.0; });
    scale_weights();
    for (const AskedAttribute& attribute : asked_) {
      weights_.emplace_back(attribute.weight);
      whole_.add(attribute.weight);
    }
    // Each addition or multiplication of the plain sums has a relative rounding error of at most epsilon / 2; this allows
    // for more than all of them together.
    slack_ = 1.0 - static_cast<double>(asked_.size() + 8) * std::numeric_limits<double>::epsilon();
  }

  const std::vector<AskedAttribute>& asked() const { return asked_; }
  std::size_t size() const { return n_cases_; }
  bool ignores() const { return ignore_; }
  double whole() const { return whole_.value(); }

  double similarity(std::size_t row) const {
    base::CarefulSum sum, known;
    for (std::size_t a = 0; a < asked_.size(); ++a) {
      const std::int32_t code = asked_[a].codes[row];
      if (code < 0) continue;
      sum.add_product(weights_[a], asked_[a].table[code]);
      if (ignore_) known.add(asked_[a].weight);
    }
    return sum.over(ignore_ ? known : whole_);
  }

  // Returns whether a plain sum rules out that the similarity of a case is `least` or more.
  bool surely_below(std::size_t row, double least) const {
    double sum = 0.0, known = 0.0;
    for (const AskedAttribute& attribute : asked_) {
      const std::int32_t code = attribute.codes[row];
      if (code < 0) continue;
      sum += attribute.weight * attribute.table[code];
      known += attribute.weight;
    }
    if (ignore_ && known == 0.0) return 0.0 < least;
    return sum < least * (ignore_ ? known : whole_.value()) * slack_;
  }

  bool fits(std::size_t row) const {
    return std::all_of(asked_.begin(), asked_.end(), [row](const AskedAttribute& attribute) {
      return attribute.codes[row] < static_cast<std::int64_t>(attribute.n_values);
    });
  }

  // Offers the cases start to stop that the mask allows (all if it is null), except the one left out, to `best`.
  void search(std::size_t start, std::size_t stop, const std::uint8_t* mask, std::int64_t left_out, double* room,
              BestMatches& best) const {
    std::fill(room, room + this->room(), 0.0);
    for (const AskedAttribute& attribute : asked_) add(attribute, start, stop, room);
    const double whole = ignore_ ? 1.0 : whole_.value();
    double least = best.least() * whole * slack_;
    for (std::size_t i = start; i < stop; ++i) {
      double quick = room[i - start];
      if (ignore_ && room[block + i - start] > 0.0) quick /= room[block + i - start];
      if (quick < least || (mask && !mask[i]) || static_cast<std::int64_t>(i) == left_out) continue;
      best.offer({similarity(i), static_cast<std::int64_t>(i)});
      least = best.least() * whole * slack_;
    }
  }

  // Returns how many numbers of scratch space a search needs.
  std::size_t room() const { return (ignore_ ? 2 : 1) * block; }

 private:
  // Scales the weights by a power of two, which changes no quotient, so that no sum overflows and no product with a tiny
  // similarity underflows.
  void scale_weights() {
    double most = 0.0;
    for (const AskedAttribute& attribute : asked_) most = std::max(most, attribute.weight);
    constexpr int large = 200;
    int exponent = 0;
    std::frexp(most, &exponent);
    for (AskedAttribute& attribute : asked_) attribute.weight = std::ldexp(attribute.weight, large - exponent);
  }

  void add(const AskedAttribute& attribute, std::size_t start, std::size_t stop, double* room) const {
    static constexpr double nothing = 0.0;
    const std::int32_t* codes = attribute.codes + start;
    const double* table = attribute.table;
    const double weight = attribute.weight;
    const std::size_t n = stop - start;
    // Selects a pointer instead of branching: missing values would be mispredicted.
    for (std::size_t i = 0; i < n; ++i) {
      const double* entry = codes[i] < 0 ? &nothing : table + codes[i];
      room[i] += weight * *entry;
    }
    if (!ignore_) return;
    double* known = room + block;
    for (std::size_t i = 0; i < n; ++i) known[i] += codes[i] < 0 ? 0.0 : weight;
  }

  std::vector<AskedAttribute> asked_;
  std::vector<base::SplitDouble> weights_;
  std::size_t n_cases_;
  bool ignore_;
  base::CarefulSum whole_;
  double slack_ = 1.0;
};

// Finds the cases of a panel that may have a similarity of at least t, by the largest similarities of their groups. With
// D = sum_a w_a (1 - s_a) over the attributes that the case knows, its similarity is at least t if and only if D + sum of
// w_a over the attributes that it does not know (times 1 - t if these are ignored) is at most (1 - t) W, with W the sum
// of all weights. The terms are rounded down to bytes, which are summed for 256 cases at once.
class GroupBounds {
 public:
  explicit GroupBounds(const CaseScores& scores)
      : scores_(scores),
        n_(scores.asked().size()),
        lower_(n_ * search::n_codes, std::numeric_limits<float>::infinity()),
        tables_(n_ * search::n_codes),
        panel_(n_ * panel_rows) {
    double largest[n_groups];
    for (std::size_t a = 0; a < n_; ++a) {
      base::check_interrupt();
      const AskedAttribute& attribute = scores.asked()[a];
      attribute.groups->largest(attribute.table, largest);
      float* const lower = lower_.data() + a * search::n_codes;
      for (std::size_t g = 0; g < n_groups; ++g) lower[g] = lowered(attribute.weight * (1.0 - largest[g]));
    }
    const auto n = static_cast<double>(n_);
    slack_ = 4.0 * (n + 8.0) * std::numeric_limits<double>::epsilon();
  }

  // Prepares the tables to find cases with a similarity of at least `least`, from 0 to 1.
  void ask_for(double least) {
    least_ = least;
    for (std::size_t a = 0; a < n_; ++a)
      lower_[a * search::n_codes + search::missing_code] =
          lowered(scores_.asked()[a].weight * (scores_.ignores() ? 1.0 - least : 1.0));
    const double reach = 1.0 - least + slack_;
    search::kernels().round_down(lower_.data(), tables_.data(), tables_.size(),
                                 static_cast<float>(reach * (1.0 + 1e-6)),
                                 static_cast<float>(254.0 / reach * (1.0 - 1e-6)));
  }

  double asked_for() const { return least_; }

  void survivors(std::size_t first, std::uint64_t* found) {
    gather(first);
    alignas(64) std::uint8_t sums[panel_rows];
    search::kernels().scan(panel_.data(), tables_.data(), n_, found, sums);
  }

  // Marks the cases with the smallest sums: as many as wanted, and all that tie with the last of them.
  void promising(std::size_t first, std::size_t wanted, std::uint64_t* found) {
    gather(first);
    search::kernels().promising(panel_.data(), tables_.data(), n_, wanted, found);
  }

 private:
  // Returns a weight as a share of all weights, never above the exact quotient.
  float lowered(double weight) const { return static_cast<float>(weight / scores_.whole() * (1.0 - 1e-6)); }

  void gather(std::size_t first) {
    std::uint8_t* to = panel_.data();
    for (const AskedAttribute& attribute : scores_.asked()) {
      std::copy_n(attribute.groups->panel(first), panel_rows, to);
      to += panel_rows;
    }
  }

  const CaseScores& scores_;
  std::size_t n_;
  std::vector<float> lower_;
  base::Bytes tables_, panel_;
  double slack_ = 0.0, least_ = 0.0;
};

template <class Take>
void for_bits(const std::uint64_t* words, const Take& take) {
  for (std::size_t w = 0; w < panel_words; ++w)
    for (std::uint64_t left = words[w]; left; left &= left - 1)
      take(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
}

// Search by groups. The cases with the smallest sums are compared first and give a similarity that k cases reach; then
// only the cases that may reach it are compared.
class GroupSearch {
 public:
  GroupSearch(const CaseScores& scores, const std::uint8_t* mask, std::size_t k)
      : scores_(scores), mask_(mask), k_(k), n_(scores.size()), bounds_(scores) {}

  std::vector<Match> best(std::size_t threads) {
    const std::size_t panels = (n_ + panel_rows - 1) / panel_rows;
    const double floor = similarity_of_promising(panels);
    bounds_.ask_for(std::max(floor, 0.0));
    std::deque<BestMatches> found;
    std::mutex lock;
    base::for_blocks(panels, block, threads, [&] {
      const std::lock_guard<std::mutex> hold(lock);
      return [this, floor, own = &found.emplace_back(k_), bounds = bounds_](std::size_t start,
                                                                            std::size_t stop) mutable {
        for (std::size_t p = start; p < stop; ++p) search(p * panel_rows, floor, bounds, *own);
      };
    }, least_panels);
    BestMatches best(k_);
    for (const BestMatches& own : found) best.offer(own);
    return best.take();
  }

 private:
  static constexpr std::size_t block = 64, least_panels = 2048;

  bool allowed(std::size_t row) const { return row < n_ && (mask_ == nullptr || mask_[row] != 0); }

  // Offers a case unless a plain sum rules it out, and returns whether it did. The codes have been checked before, but
  // their memory is the caller's and may have changed.
  bool offer(std::size_t row, double least, BestMatches& best) const {
    require(scores_.fits(row), code_rule);
    if (scores_.surely_below(row, least)) return false;
    best.offer({scores_.similarity(row), static_cast<std::int64_t>(row)});
    return true;
  }

  // Returns a similarity that at least k cases reach; -infinity if fewer than k were compared.
  double similarity_of_promising(std::size_t panels) {
    BestMatches best(k_);
    bounds_.ask_for(0.0);
    const std::size_t wanted = (2 * k_ + panels - 1) / panels;
    if (wanted > panel_rows / 8) return -base::infinity;
    std::uint64_t chosen[panel_words];
    for (std::size_t p = 0; p < panels; ++p) {
      if (p % 16 == 0) base::check_interrupt();
      bounds_.promising(p * panel_rows, wanted, chosen);
      for_bits(chosen, [&](std::size_t r) {
        const std::size_t row = p * panel_rows + r;
        if (allowed(row)) offer(row, best.least(), best);
      });
    }
    return best.least();
  }

  void search(std::size_t first, double floor, GroupBounds& bounds, BestMatches& best) const {
    double least = std::max(floor, best.least());
    // Rebuild the tables once that makes their steps at least a fiftieth finer.
    if (1.0 - least < 0.98 * (1.0 - bounds.asked_for())) bounds.ask_for(least);
    std::uint64_t survivors[panel_words];
    bounds.survivors(first, survivors);
    std::size_t found = 0;
    for_bits(survivors, [&](std::size_t r) {
      const std::size_t row = first + r;
      if (!allowed(row) || !offer(row, least, best)) return;
      least = std::max(floor, best.least());
      ++found;
    });
    if (found >= 32) base::check_interrupt();
  }

  const CaseScores& scores_;
  const std::uint8_t* mask_;
  std::size_t k_, n_;
  GroupBounds bounds_;
};

// Returns how many rows make another thread worth starting, if a step takes about a nanosecond.
std::size_t rows_worth_a_thread(std::size_t steps_for_each) {
  return (std::size_t{1} << 21) / std::max<std::size_t>(1, steps_for_each);
}

std::vector<Match> best_one_by_one(const CaseScores& scores, const std::uint8_t* mask, std::size_t k,
                                   std::size_t threads) {
  std::deque<BestMatches> found;
  std::mutex lock;
  base::for_blocks(scores.size(), CaseScores::block, threads, [&] {
    const std::lock_guard<std::mutex> hold(lock);
    return [&scores, mask, own = &found.emplace_back(k), room = std::vector<double>(scores.room())](
               std::size_t start, std::size_t stop) mutable {
      scores.search(start, stop, mask, -1, room.data(), *own);
    };
  }, rows_worth_a_thread(scores.asked().size()));
  BestMatches best(k);
  for (const BestMatches& own : found) best.offer(own);
  return best.take();
}

// Returns whether the codes of all cases have an entry in the table.
bool fits(const AskedAttribute& attribute, std::size_t n_cases) {
  const auto n = static_cast<std::uint32_t>(attribute.n_values);
  std::uint32_t below = ~std::uint32_t{0};
  // The highest bit of the difference is set if and only if the code is below n.
  for (std::size_t i = 0; i < n_cases; ++i) below &= static_cast<std::uint32_t>(attribute.codes[i]) - n;
  return below >> 31 != 0;
}

}  // namespace

// Groups ----------------------------------------------------------------------------------------------------------

ValueGroups::ValueGroups(const std::int32_t* codes, std::size_t n_cases, const double* numbers, std::size_t n_values,
                         const ValueGroups* earlier)
    : n_cases_(n_cases), n_values_(n_values) {
  const bool kept = earlier != nullptr && earlier->n_cases_ <= n_cases && earlier->n_values_ <= n_values &&
                    earlier->ends_.empty() == (numbers == nullptr) &&
                    (numbers == nullptr || n_values <= 2 * earlier->n_values_of_ends_);
  if (kept) {
    n_values_of_ends_ = earlier->n_values_of_ends_;
    ends_ = earlier->ends_;
    groups_ = earlier->groups_;
    bytes_ = earlier->bytes_;
  }
  if (numbers != nullptr) group_numbers(numbers, kept ? earlier->n_values_ : 0);
  bytes_.resize((n_cases + panel_rows - 1) / panel_rows * panel_rows, search::dead_code);
  const std::size_t first = kept ? earlier->n_cases_ : 0;
  for (std::size_t i = first; i < n_cases; ++i) {
    const std::int32_t code = codes[i];
    bytes_[i] = code < 0           ? search::missing_code
                : numbers != nullptr ? groups_[static_cast<std::size_t>(code)]
                                     : static_cast<std::uint8_t>(code % static_cast<std::int32_t>(n_groups));
  }
}

// Assigns the numbers to groups, whose ends are quantiles of a sample of the numbers.
void ValueGroups::group_numbers(const double* numbers, std::size_t first) {
  if (ends_.empty()) {
    constexpr std::size_t drawn = 64 * n_groups;
    const std::size_t step = std::max<std::size_t>(1, n_values_ / drawn);
    std::vector<double> some;
    for (std::size_t v = 0; v < n_values_; v += step) some.push_back(numbers[v]);
    std::sort(some.begin(), some.end());
    for (std::size_t g = 1; g < n_groups; ++g)
      ends_.push_back(some.empty() ? 0.0 : some[std::min(some.size() - 1, g * some.size() / n_groups)]);
    n_values_of_ends_ = n_values_;
  }
  groups_.resize(n_values_);
  for (std::size_t v = first; v < n_values_; ++v)
    groups_[v] = static_cast<std::uint8_t>(std::lower_bound(ends_.begin(), ends_.end(), numbers[v]) - ends_.begin());
}

void ValueGroups::largest(const double* table, double* found) const {
  if (ends_.empty()) {
    require(loops().within_unit(table, n_values_), unit_rule);
    return loops().largest_in_turn(table, n_values_, found);
  }
  // In parts, so that a part is still in the cache when it is read again. Two maxima for each group, so that consecutive
  // entries of one group do not wait for each other.
  constexpr std::size_t part = 1024;
  double largest[2][n_groups] = {};
  for (std::size_t start = 0; start < n_values_; start += part) {
    const std::size_t stop = std::min(n_values_, start + part);
    require(loops().within_unit(table + start, stop - start), unit_rule);
    std::size_t v = start;
    for (; v + 1 < stop; v += 2) {
      double &one = largest[0][groups_[v]], &other = largest[1][groups_[v + 1]];
      one = table[v] > one ? table[v] : one;
      other = table[v + 1] > other ? table[v + 1] : other;
    }
    if (v < stop) largest[0][groups_[v]] = std::max(largest[0][groups_[v]], table[v]);
  }
  for (std::size_t g = 0; g < n_groups; ++g) found[g] = std::max(largest[0][g], largest[1][g]);
}

// Similarities ----------------------------------------------------------------------------------------------------

void Query::check() const {
  for (const AskedAttribute& attribute : attributes) {
    base::check_interrupt();
    if (attribute.groups != nullptr) continue;  // its codes have been checked, and ValueGroups::largest checks its table
    require(fits(attribute, n_cases), code_rule);
    require(loops().within_unit(attribute.table, attribute.n_values), unit_rule);
  }
}

std::vector<Match> best_cases(const Query& query, const std::uint8_t* mask, std::size_t k, std::size_t threads) {
  const CaseScores scores(query);
  const auto grouped = [](const AskedAttribute& attribute) { return attribute.groups != nullptr; };
  const bool all_grouped = std::all_of(scores.asked().begin(), scores.asked().end(), grouped);
  k = std::min(k, query.n_cases);
  if (k == 0) return {};
  if (scores.asked().empty() || !all_grouped) return best_one_by_one(scores, mask, k, threads);
  return GroupSearch(scores, mask, k).best(threads);
}

std::vector<double> all_similarities(const Query& query, std::size_t threads) {
  const CaseScores scores(query);
  std::vector<double> found(scores.size());
  base::for_blocks(found.size(), CaseScores::block, threads, [&] {
    return [&](std::size_t start, std::size_t stop) {
      for (std::size_t i = start; i < stop; ++i) found[i] = scores.similarity(i);
    };
  }, rows_worth_a_thread(4 * scores.asked().size()));
  return found;
}

std::vector<double> local_similarities(const Query& query, const std::vector<Match>& matches) {
  std::vector<double> found;
  found.reserve(matches.size() * query.attributes.size());
  for (const Match& match : matches)
    for (const AskedAttribute& attribute : query.attributes) {
      const std::int32_t code = attribute.codes[match.position];
      require(code < static_cast<std::int64_t>(attribute.n_values), code_rule);
      found.push_back(code < 0 ? std::numeric_limits<double>::quiet_NaN() : attribute.table[code]);
    }
  return found;
}

void ManyQueries::check() const {
  for (const auto& [query_codes, n_tables, attribute] : attributes) {
    base::check_interrupt();
    require(fits(attribute, n_cases), code_rule);
    require(loops().within_unit(attribute.table, n_tables * attribute.n_values), unit_rule);
    const auto known = [n = static_cast<std::int64_t>(n_tables)](std::int32_t code) { return code < n; };
    require(std::all_of(query_codes, query_codes + n_queries, known), "a query's code has no table");
  }
}

Query ManyQueries::query(std::size_t which) const {
  Query one{{}, n_cases, ignore};
  for (const auto& [query_codes, n_tables, attribute] : attributes) {
    if (query_codes[which] < 0) continue;
    one.attributes.push_back(attribute);
    one.attributes.back().table += static_cast<std::size_t>(query_codes[which]) * attribute.n_values;
  }
  return one;
}

void best_cases_many(const ManyQueries& queries, std::size_t k, std::size_t threads, std::int64_t* positions,
                     double* similarities) {
  const std::size_t least = rows_worth_a_thread(queries.n_cases * queries.attributes.size());
  base::for_blocks(queries.n_queries, 1, threads, [&] {
    return [&, room = std::vector<double>()](std::size_t q, std::size_t) mutable {
      const CaseScores scores(queries.query(q));
      room.resize(scores.room());
      BestMatches best(k);
      for (std::size_t start = 0; start < queries.n_cases; start += CaseScores::block) {
        base::check_interrupt();
        scores.search(start, std::min(queries.n_cases, start + CaseScores::block), queries.mask,
                      queries.own ? queries.own[q] : -1, room.data(), best);
      }
      std::size_t place = q * k;
      for (const Match& match : best.take()) {
        positions[place] = match.position;
        similarities[place++] = match.similarity;
      }
    };
  }, least);
}

// Postings --------------------------------------------------------------------------------------------------------

namespace {

// Returns 1 for two empty sets. If only one is empty, the result is 0, except for the containment of an empty query: 1.
double similarity_of_sets(double common, double asked, double size, SetMeasure measure) {
  switch (measure) {
    case SetMeasure::jaccard:
      return size + asked > 0.0 ? common / (size + asked - common) : 1.0;
    case SetMeasure::dice:
      return size + asked > 0.0 ? 2.0 * common / (size + asked) : 1.0;
    case SetMeasure::containment:
      return asked > 0.0 ? common / asked : 1.0;
    default:
      return std::min(size, asked) > 0.0 ? common / std::min(size, asked) : size + asked > 0.0 ? 0.0 : 1.0;
  }
}

}  // namespace

Postings::Postings(std::vector<std::int64_t> starts, const std::int32_t* holders, const double* weights,
                   std::size_t n_values)
    : starts_(std::move(starts)), holders_(holders), weights_(weights), n_values_(n_values) {
  if (weights != nullptr) return;
  sizes_.assign(n_values, 0);
  for (std::size_t term = 0; term < n_terms(); ++term)
    for_holders(term, [this](std::size_t holder, std::size_t) { ++sizes_[holder]; });
}

// Calls add(holder, entry) for each value that contains the term.
template <class Add>
void Postings::for_holders(std::size_t term, const Add& add) const {
  base::check_interrupt();
  const auto stop = static_cast<std::size_t>(starts_[term + 1]);
  for (auto entry = static_cast<std::size_t>(starts_[term]); entry < stop; ++entry) {
    const std::size_t holder = static_cast<std::uint32_t>(holders_[entry]);
    require(holder < n_values_, "no such value");
    add(holder, entry);
  }
}

std::vector<double> Postings::products(const std::int64_t* terms, const double* term_weights, std::size_t n) const {
  std::vector<double> sums(n_values_, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = term_weights[i];
    for_holders(static_cast<std::size_t>(terms[i]), [&](std::size_t holder, std::size_t entry) {
      sums[holder] += weights_ ? weight * weights_[entry] : weight;
    });
  }
  return sums;
}

std::vector<double> Postings::set_similarities(const std::vector<std::int64_t>& terms, std::size_t asked,
                                               SetMeasure measure) const {
  require(weights_ == nullptr, "sets have no weights");
  std::vector<std::int32_t> common(n_values_, 0);
  for (const std::int64_t term : terms)
    for_holders(static_cast<std::size_t>(term), [&](std::size_t holder, std::size_t) { ++common[holder]; });
  std::vector<double> found(n_values_);
  for (std::size_t v = 0; v < n_values_; ++v)
    found[v] = similarity_of_sets(common[v], static_cast<double>(asked), sizes_[v], measure);
  return found;
}

}  // namespace priorcase::cases
