#include "search/index.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/threads.hpp"
#include "search/order.hpp"
#include "search/query.hpp"

namespace priorcase::search {

namespace {

constexpr std::size_t most_in_tile = 16;
constexpr std::size_t worth_a_sketch = 256, worth_sorting = 32;  // queries
constexpr std::size_t worth_bounding = 40;                       // rows
constexpr std::size_t few_panels = 8;
constexpr std::size_t few_before = 32;  // the largest k for which a similar query's results are measured first

// Statistics of earlier queries, which affect only the time that later ones take.
struct History {
  std::atomic<std::size_t> wide_streak{0};  // number of successive queries that were near most leaves
  std::atomic<double> shrinkage{1.0};       // ratio of the last limit to the first one, or slightly more
};

// Searches one layout of the rows with one plan.
class Search {
 public:
  // worth_sketching: there are so many queries that it pays off to make a sketch.
  Search(const Plan& plan, const Store& store, const Order& order, LazySketch& sketch, History& history,
         const double* weights, bool worth_sketching)
      : plan_(plan),
        store_(store),
        order_(order),
        boxes_(plan, store),
        sketch_(sketch),
        history_(history),
        weights_(weights),
        worth_sketching_(worth_sketching) {}

  void measure(Query& query, const double* cells, const double* weights) const {
    query.cells = cells;
    query.measure.prepare(plan_, store_, cells, weights);
  }

  void start(Query& query, bool bounds) const {
    query.start(store_);
    query.bounds_ready = bounds;
    if (!bounds) return;
    query.bounds.prepare(query.measure, boxes_);
    query.tighten();
  }

  // Answers a query, or returns false if it is faster to answer several queries at once by `scan`.
  bool finds(Algorithm algorithm, Query& query) const {
    if (algorithm == Algorithm::plain) {
      for (std::size_t panel = 0; panel < store_.n_panels(); ++panel) query.weigh_panel(store_, panel);
      return true;
    }
    return algorithm != Algorithm::scan && visit_leaves(query, algorithm == Algorithm::tree);
  }

  // Scans all rows for a few queries at a time, for which `finds` returned false. The queries share the codes while
  // these are in the cache; a sketch is used if there is one. A limit is guessed for each query; those with fewer than
  // k rows within it start again.
  void scan(Algorithm algorithm, Query* queries, std::size_t count) const {
    Query* wide[most_in_tile];
    double first_limits[most_in_tile];
    for (std::size_t i = 0; i < count; ++i) {
      wide[i] = &queries[i];
      if (algorithm == Algorithm::scan && queries[i].nearest.wanted() > 0) seed(queries[i]);
      first_limits[i] = queries[i].nearest.limit();
      queries[i].guess(history_.shrinkage.load(std::memory_order_relaxed));
    }
    scan_all(wide, count);
    Query** missed = wide;
    for (std::size_t i = 0; i < count; ++i) {
      learn_shrinkage(queries[i], first_limits[i]);
      if (queries[i].nearest.has_enough()) continue;
      queries[i].start_again(store_, first_limits[i]);
      *missed++ = &queries[i];
    }
    scan_all(wide, static_cast<std::size_t>(missed - wide));
  }

 private:
  static constexpr std::size_t near_memory = 16 * 1024;
  static constexpr std::ptrdiff_t few_leaves = 12;

  // Adapts the ratio so that about one guess in fifteen fails.
  void learn_shrinkage(const Query& query, double first_limit) const {
    if (!query.is_regular()) return;
    const double shrinkage = history_.shrinkage.load(std::memory_order_relaxed);
    const bool held = query.nearest.has_enough() && query.nearest.limit() <= query.bounds.share(first_limit, shrinkage);
    history_.shrinkage.store(std::clamp(shrinkage * (held ? 0.998 : 1.03), 0.01, 1.0), std::memory_order_relaxed);
  }

  // May change the order of the queries.
  void scan_all(Query** wide, std::size_t count) const {
    Query** unplaced = wide;
    if (const auto sketch = weights_ == nullptr ? nullptr : sketch_.get(plan_, store_, weights_, worth_sketching_)) {
      const auto placed = [&](Query* query) { return sketch->place(query->measure, query->place); };
      unplaced = std::partition(wide, wide + count, placed);
      scan_sketch(*sketch, wide, static_cast<std::size_t>(unplaced - wide));
    }
    scan_panels(0, unplaced, static_cast<std::size_t>(wide + count - unplaced));
    for (std::size_t i = 0; i < count; ++i) wide[i]->weigh(store_);
  }

  // Searches the panel in which the query would lie, so that the limit is small before the long search begins.
  void seed(Query& query) const {
    if (store_.n_panels() == 0) return;
    const std::size_t leaf = query.leaf != Store::nobody ? query.leaf
                             : query.exclude >= 0 && store_.has(query.exclude)
                                 ? store_.slot(query.exclude) / leaf_rows  // most likely the query itself
                                 : order_.leaf_of(query.cells);
    // Rough sums have the best resolution around the limit of the previous query, which may be similar to this one's.
    if (query.reach() == base::infinity)
      query.bounds.rescale(query.bounds.limit_above(
          query.last_excess < base::infinity ? 1.5 * query.last_excess : query.bounds.spread() / 8));
    query.look_first(store_, leaf / panel_words);
  }

  // Visits the leaves whose boxes are near enough, nearest first. Returns false, after seeing only some of them, if
  // there are so many that a scan of all rows is faster.
  bool visit_leaves(Query& query, bool always) const {
    if (query.nearest.wanted() > 0) seed(query);
    if (query.seen().size() == store_.n_panels() * panel_words) return true;
    if (query.bounds.limit() == base::infinity) return false;
    if (const auto streak = history_.wide_streak.load(std::memory_order_relaxed); !always && streak % 16 != 0) {
      history_.wide_streak.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    std::vector<std::uint32_t>&leaves = query.leaves, &sorted = query.sorted_leaves;
    for (int round = 0;; ++round) {
      query.bounds.bound_leaves(store_, query.leaf_bounds);
      for (const std::uint32_t leaf : query.seen()) query.leaf_bounds[leaf] = 255;
      leaves.resize(query.leaf_bounds.size() + 1);
      const std::size_t near =
          kernels().places_at_most(query.leaf_bounds.data(), query.leaf_bounds.size() / 64, 254, leaves.data());
      const bool last = near <= 2 * few_leaves || round == 2;
      if (last && !always && 3 * near > store_.n_leaves() && near > 2 * few_leaves) {
        history_.wide_streak.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
      sorted.resize(near);
      sort_leaves(query.leaf_bounds, leaves.data(), near, sorted.data());
      const double scaled = query.bounds.limit();
      const auto end = last ? sorted.end() : sorted.begin() + few_leaves;
      for (auto leaf = sorted.begin(); leaf != end; ++leaf) {
        if (query.leaf_bounds[*leaf] > query.bounds.largest_sum(query.bounds.limit(), scaled)) break;
        query.look_at_leaf(store_, *leaf);
      }
      query.weigh(store_);
      if (last) {
        history_.wide_streak.store(0, std::memory_order_relaxed);
        return true;
      }
      // If this round lowered the limit only a little, the limit is good, and the next round is the last.
      if (query.bounds.above_floor(query.bounds.limit()) > 0.4 * query.bounds.above_floor(scaled)) round = 1;
    }
  }

  // Sorts leaves by their bounds.
  static void sort_leaves(const std::vector<std::uint8_t>& bounds, const std::uint32_t* leaves, std::size_t n,
                          std::uint32_t* sorted) {
    if (n <= 2 * few_leaves) {
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t hole = i;
        for (; hole > 0 && bounds[sorted[hole - 1]] > bounds[leaves[i]]; --hole) sorted[hole] = sorted[hole - 1];
        sorted[hole] = leaves[i];
      }
      return;
    }
    std::uint32_t starts[256] = {};
    for (std::size_t i = 0; i < n; ++i) ++starts[bounds[leaves[i]]];
    for (std::uint32_t bound = 0, at = 0; bound < 256; ++bound) at += std::exchange(starts[bound], at);
    for (std::size_t i = 0; i < n; ++i) sorted[starts[bounds[leaves[i]]]++] = leaves[i];
  }

  void scan_panels(std::size_t from, Query** queries, std::size_t count) const {
    for (std::size_t i = 0; i < count && from == 0; ++i) queries[i]->survey(store_);
    const std::size_t stride = std::max<std::size_t>(1, near_memory / (store_.n_attributes() * panel_rows));
    for (std::size_t first = from; first < store_.n_panels(); first += stride) {
      const std::size_t last = std::min(first + stride, store_.n_panels());
      std::size_t i = 0;
      for (; i + 2 <= count && !queries[i]->is_hopeless() && !queries[i + 1]->is_hopeless(); i += 2)
        for (std::size_t p = first; p < last; ++p) Query::look_at(*queries[i], *queries[i + 1], store_, p);
      for (; i < count; ++i)
        for (std::size_t p = first; p < last; ++p)
          queries[i]->is_hopeless() ? queries[i]->weigh_panel(store_, p) : queries[i]->look_at(store_, p);
    }
  }

  // Handles four queries at a time; the last query is repeated to make up four.
  void scan_sketch(const Sketch& sketch, Query** queries, std::size_t count) const {
    if (count == 0) return;
    double lengths[most_in_tile + 3];
    const Sketch::Place* places[most_in_tile + 3];
    for (std::size_t i = 0; i < count + 3; ++i) {
      const Query& query = *queries[std::min(i, count - 1)];
      places[i] = &query.place;
      lengths[i] = sketch.length(query.reach());
    }
    for (std::size_t panel = 0; panel < sketch.n_panels(); ++panel)
      for (std::size_t first = 0; first < count; first += 4) {
        std::uint64_t rows[4][panel_words];
        sketch.near(panel, places + first, lengths + first, rows);
        for (std::size_t i = first; i < std::min(first + 4, count); ++i)
          if (!is_empty(rows[i - first]) && queries[i]->pass_near(store_, panel, rows[i - first]))
            lengths[i] = sketch.length(queries[i]->reach());
      }
    for (std::size_t i = 0; i < count; ++i) sketch.count(sketch.n_panels() * panel_rows, queries[i]->weighed());
    scan_panels(sketch.n_panels(), queries, count);
  }

  const Plan& plan_;
  const Store& store_;
  const Order& order_;
  const CurveBoxes boxes_;
  LazySketch& sketch_;
  History& history_;
  const double* const weights_;  // shared by all queries; null if each has its own
  const bool worth_sketching_;
};

}  // namespace

struct Index::State {
  explicit State(std::vector<std::uint8_t> coded)
      : coded_(std::move(coded)),
        wide_(coded_.size(), 0),
        store_(std::make_unique<Store>(coded_, wide_)) {}

  State(std::vector<std::uint8_t> coded, const Parts& parts, std::size_t threads)
      : coded_(std::move(coded)),
        wide_(parts.wide),
        store_(std::make_unique<Store>(coded_, parts, threads)),
        order_(parts, coded_.size(), store_->n_slots()) {}

  Parts parts() const {
    Parts parts = store_->parts();
    order_.add_to(parts);
    return parts;
  }

  std::size_t n_attributes() const { return coded_.size(); }
  std::size_t n_rows() const { return store_->n_alive(); }
  std::size_t n_bytes() const { return store_->n_bytes() + order_.n_bytes() + sketch_->n_bytes(); }

  bool takes(const double* rows, std::size_t n, bool queries) const {
    constexpr double codes_end = 2147483648.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < n_attributes(); ++a) {
        const double cell = rows[i * n_attributes() + a];
        if (std::isnan(cell)) continue;
        if (!std::isfinite(cell)) return false;
        if (!coded_[a] || (queries && cell < 0.0)) continue;
        if (!(0.0 <= cell && cell < codes_end) || cell != static_cast<std::int32_t>(cell)) return false;
      }
    return true;
  }

  // Whether the plan knows every symbol in the stored rows and in the queries.
  bool covers(const Plan& plan, const double* queries, std::size_t n_queries) const {
    for (std::size_t a = 0; a < n_attributes(); ++a) {
      const double end = plan[a].codes_end();
      if (static_cast<double>(store_->bins[a].largest()) >= end) return false;
      for (std::size_t q = 0; q < n_queries; ++q)
        if (queries[q * n_attributes() + a] >= plan[a].queries_end()) return false;
    }
    return true;
  }

  State(std::vector<std::uint8_t> coded, std::vector<std::uint8_t> wide, std::unique_ptr<Store> store, Order order)
      : coded_(std::move(coded)), wide_(std::move(wide)), store_(std::move(store)), order_(std::move(order)) {}

  // A copy that shares the arrays until one of the two changes.
  State(const State& other)
      : coded_(other.coded_),
        wide_(other.wide_),
        store_(std::make_unique<Store>(*other.store_)),
        order_(other.order_) {}

  void append(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads, Version version) {
    if (n > 0 && store_->n_slots() == 0) store_->set_first_id(ids[0]);
    const base::Uninterrupted hold;
    store_->append(ids, rows, n, threads, version);
  }

  // Whether there are too many slots of removed rows, or a symbol has no bin of its own.
  bool is_cramped(const double* rows, std::size_t n) const {
    if (store_->n_dead() > 4 * panel_rows + 2 * store_->n_alive()) return true;
    for (std::size_t i = 0; i < n; ++i)
      if (!store_->fits(rows + i * n_attributes())) return true;
    return false;
  }

  // Returns a copy without the slots of removed rows, and with cells for the exact codes of attributes that need them.
  // The next search puts the rows in order again.
  std::shared_ptr<State> with_room(const double* rows, std::size_t n, const std::vector<Version>& living) const {
    std::vector<std::uint8_t> wide = wide_;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < n_attributes(); ++a)
        if (coded_[a] && rows[i * n_attributes() + a] >= static_cast<double>(n_bins)) wide[a] = 1;
    const std::vector<std::uint32_t> slots = needed_slots(living);
    auto store = std::make_unique<Store>(coded_, wide);
    store->bins = learn_bins(slots);
    store->take_over(*store_, slots, 1, living.empty() ? 0 : living.front());
    return std::make_shared<State>(coded_, std::move(wide), std::move(store), Order());
  }

  // Whether so many rows were added or removed that it is time for a new layout.
  bool is_due() const {
    const std::size_t in_order = (order_.size() + panel_rows - 1) / panel_rows * panel_rows;
    const std::size_t late = store_->n_slots() - std::min(in_order, store_->n_slots());
    const bool many_late = late > std::max<std::size_t>(panel_rows, store_->n_slots() / 5);
    return many_late || store_->n_dead() > panel_rows + store_->n_alive() / 2;
  }

  // Returns a copy with newly learned bins and all rows in order.
  std::shared_ptr<State> organised(const Plan& plan, std::size_t threads, const std::vector<Version>& living) const {
    std::vector<std::uint32_t> slots = needed_slots(living);
    auto store = std::make_unique<Store>(coded_, wide_);
    store->bins = learn_bins(slots);
    Order order(plan, *store_, slots, threads);
    store->take_over(*store_, slots, threads, living.empty() ? 0 : living.front());
    store->close_panel();
    return std::make_shared<State>(coded_, wide_, std::move(store), std::move(order));
  }

  std::vector<std::vector<Found>> search(const Plan& plan, const Request& request) {
    std::vector<std::vector<Found>> results(request.n_queries);
    std::shared_lock<base::Gate> start_hold = base::reading(request.gate);
    const Search search = search_of(plan, request);
    const std::vector<Turn> turns = turns_of(request);
    const Algorithm algorithm = chosen(request.algorithm);
    start_hold = {};
    const std::size_t tile = std::clamp<std::size_t>(request.n_queries / 4 / request.threads, 1, most_in_tile);
    base::for_blocks(request.n_queries, tile, request.threads, [&] {
      return [&, seekers = std::vector<Query>(tile), before = std::vector<std::int64_t>(), near_slot = std::size_t{0}](
                 std::size_t first, std::size_t last) mutable {
        const std::shared_lock<base::Gate> hold = base::reading(request.gate);
        std::size_t wide[most_in_tile], n_wide = 0;
        const auto finish = [&](Query& seeker, std::size_t q) {
          results[q] = seeker.take();
          if (turns.empty() || request.exclude == nullptr || request.judge != nullptr || request.k > few_before) return;
          before.clear();
          if (store_->has(request.exclude[q], request.version)) before.push_back(request.exclude[q]);
          for (const Found& found : results[q]) before.push_back(found.second);
        };
        for (std::size_t i = first; i < last; ++i) {
          const std::size_t q = turns.empty() ? i : turns[i].query();
          if (!turns.empty()) {
            if (turns[i].slot() >= near_slot + panel_rows) before.clear();
            near_slot = turns[i].slot();
          }
          start(search, request, algorithm, seekers[n_wide], q, before);
          if (!turns.empty()) seekers[n_wide].leaf = near_slot / leaf_rows;
          if (search.finds(algorithm, seekers[n_wide]))
            finish(seekers[n_wide], q);
          else
            wide[n_wide++] = q;
        }
        if (n_wide == 0) return;
        search.scan(algorithm, seekers.data(), n_wide);
        for (std::size_t w = 0; w < n_wide; ++w) finish(seekers[w], wide[w]);
      };
    });
    return results;
  }

  // A query and, in the upper bits, the slot at which it would lie, so that turns sort by slot.
  class Turn {
   public:
    Turn() = default;
    Turn(std::size_t slot, std::size_t query) : both_(std::uint64_t{slot} << 32 | query) {}
    std::size_t slot() const { return both_ >> 32; }
    std::size_t query() const { return both_ & 0xFFFFFFFFu; }
    bool operator<(const Turn& other) const { return both_ < other.both_; }

   private:
    std::uint64_t both_ = 0;
  };

  // Returns the queries sorted by the leaves in which they would lie, so that each resembles the one before it: it
  // reads the same memory and has similar neighbors. Empty if the queries keep their order.
  std::vector<Turn> turns_of(const Request& request) const {
    if (request.n_queries < worth_sorting || order_.size() == 0) return {};
    std::vector<Turn> turns(request.n_queries);
    const auto is_row = [&](std::size_t q) { return request.exclude != nullptr && store_->has(request.exclude[q]); };
    const auto place = [&](std::size_t first, std::size_t last) {
      for (std::size_t q = first; q < last; ++q)
        turns[q] = {is_row(q) ? store_->slot(request.exclude[q])
                              : order_.leaf_of(request.queries + q * n_attributes()) * leaf_rows, q};
    };
    base::for_blocks(request.n_queries, 1024, request.threads, [&] { return place; });
    std::sort(turns.begin(), turns.end());
    return turns;
  }

  // Answers one query on the calling thread: the k nearest rows, or with k = 0 all rows within the limit. The seeker's
  // memory is reused from one query to the next.
  std::vector<Found> find(const Plan& plan, Query& seeker, const Request& one) {
    const Search search = search_of(plan, one);
    const Algorithm algorithm = chosen(one.algorithm);
    start(search, one, algorithm, seeker, 0);
    if (!search.finds(algorithm, seeker)) search.scan(algorithm, &seeker, 1);
    return seeker.take();
  }

  // Copies the values of a row.
  void copy_row(std::int64_t id, double* out) const {
    const std::size_t slot = store_->slot(id);
    for (std::size_t a = 0; a < n_attributes(); ++a) out[a] = store_->value(slot, a);
  }

  // Computes the cost of each row, in the order of the given ids. Rows at equal distances have equal costs.
  void costs(const Plan& plan, Measure& measure, const double* query, const double* weights, const std::int64_t* ids,
             std::size_t n, double* out) const {
    measure.prepare(plan, *store_, query, weights);
    for (std::size_t i = 0; i < n; ++i) out[i] = plan.root.settled(measure.cost(store_->slot(ids[i]), base::infinity));
  }

  static constexpr std::size_t sample_rows = 1 << 12;

  Search search_of(const Plan& plan, const Request& request) const {
    return Search(plan, *store_, order_, *sketch_, *history_, request.weights_per_query ? nullptr : request.weights,
                  request.n_queries >= worth_a_sketch);
  }

  // before: rows that are probably near, since they were near a similar query.
  void start(const Search& search, const Request& request, Algorithm algorithm, Query& seeker, std::size_t q,
             const std::vector<std::int64_t>& before = {}) const {
    seeker.exclude = request.exclude ? request.exclude[q] : -1;
    seeker.judge = request.judge;
    seeker.version = request.version;
    seeker.differs = store_->differs(request.version);
    const double* weights = request.weights + (request.weights_per_query ? q * n_attributes() : 0);
    search.measure(seeker, request.queries + q * n_attributes(), weights);
    if (request.k > 0)
      seeker.nearest.start(request.k, request.ties, seeker.limit_by(*store_, before, request.k));
    else
      seeker.nearest.start_within(request.limits[q]);
    search.start(seeker, algorithm != Algorithm::plain);
  }

  // Few rows are measured faster than bounded, and few panels are scanned faster than their leaves are visited.
  Algorithm chosen(Algorithm asked) const {
    if (asked != Algorithm::automatic) return asked;
    if (store_->n_slots() < worth_bounding) return Algorithm::plain;
    return store_->n_panels() > 1 && store_->n_panels() <= few_panels ? Algorithm::scan : asked;
  }

  std::vector<Bins> learn_bins(const std::vector<std::uint32_t>& slots) const {
    std::vector<Bins> bins;
    const std::size_t step = std::max<std::size_t>(1, (slots.size() + sample_rows - 1) / sample_rows);
    std::vector<double> sample;
    for (std::size_t a = 0; a < n_attributes(); ++a) {
      bins.emplace_back(coded_[a] != 0);
      sample.clear();
      for (std::size_t i = 0; i < slots.size() && !coded_[a]; i += step) {
        const double value = store_->value(slots[i], a);
        if (value == value) sample.push_back(value);
      }
      bins.back().learn(sample);
    }
    return bins;
  }

  std::vector<std::uint32_t> needed_slots(const std::vector<Version>& living) const {
    std::vector<std::uint32_t> slots;
    slots.reserve(store_->n_alive() + store_->n_retired());
    for (std::size_t slot = 0; slot < store_->n_slots(); ++slot)
      if (store_->is_needed(slot, living)) slots.push_back(static_cast<std::uint32_t>(slot));
    return slots;
  }

  std::vector<std::uint8_t> coded_, wide_;
  std::unique_ptr<Store> store_;
  Order order_;  // slots after these were added later
  std::unique_ptr<LazySketch> sketch_ = std::make_unique<LazySketch>();
  std::unique_ptr<History> history_ = std::make_unique<History>();
};

Seeker::Seeker() : query_(std::make_unique<Query>()) {}
Seeker::~Seeker() = default;
Seeker::Seeker(Seeker&&) noexcept = default;
Seeker& Seeker::operator=(Seeker&&) noexcept = default;

const Difference& Seeker::difference(std::size_t a) const { return query_->measure.differences[a]; }

Index::Index(std::vector<std::uint8_t> coded) : state_(std::make_shared<State>(std::move(coded))) {}
Index::Index(std::vector<std::uint8_t> coded, const Parts& parts, std::size_t threads)
    : state_(std::make_shared<State>(std::move(coded), parts, threads)) {}
Index::Index(Made, std::shared_ptr<State> state) : state_(std::move(state)) {}
Index::~Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;

std::size_t Index::n_attributes() const { return state_->n_attributes(); }
std::size_t Index::n_rows() const { return state_->n_rows(); }
std::size_t Index::n_bytes() const { return state_->n_bytes(); }
Parts Index::parts() const { return state_->parts(); }
bool Index::has(std::int64_t id) const { return state_->store_->has(id); }
bool Index::has(std::int64_t id, Version version) const { return state_->store_->has(id, version); }

std::vector<std::int64_t> Index::largest_codes() const {
  std::vector<std::int64_t> largest;
  for (const Bins& bins : state_->store_->bins) largest.push_back(bins.largest());
  return largest;
}

bool Index::takes(const double* rows, std::size_t n, bool queries) const { return state_->takes(rows, n, queries); }

bool Index::covers(const Plan& plan, const double* queries, std::size_t n_queries) const {
  return state_->covers(plan, queries, n_queries);
}

void Index::append(const std::int64_t* ids, const double* rows, std::size_t n, std::size_t threads, Version version) {
  if (is_cramped(rows, n)) *this = with_room(rows, n);
  state_->append(ids, rows, n, threads, version);
}

void Index::remove(std::int64_t id) { state_->store_->remove(id); }
void Index::retire(const std::int64_t* ids, std::size_t n, Version version) { state_->store_->retire(ids, n, version); }
void Index::roll_back(Version version) { state_->store_->roll_back(version); }
Version Index::last_change() const { return state_->store_->last_change(); }
std::size_t Index::n_retired() const { return state_->store_->n_retired(); }
std::size_t Index::n_dead() const { return state_->store_->n_dead(); }

bool Index::sweep(const std::vector<Version>& living, Version after, Version last, std::size_t most) {
  return state_->store_->sweep(living, after, last, most);
}

Index Index::branch(Version version) const {
  auto state = std::make_shared<State>(*state_);
  state->store_->keep_only(version);
  return Index(Made(), std::move(state));
}

bool Index::is_due() const { return state_->is_due(); }
bool Index::is_cramped(const double* rows, std::size_t n) const { return state_->is_cramped(rows, n); }

Index Index::with_room(const double* rows, std::size_t n, const std::vector<Version>& living) const {
  return Index(Made(), state_->with_room(rows, n, living));
}

Index Index::organised(const Plan& plan, std::size_t threads, const std::vector<Version>& living) const {
  return Index(Made(), state_->organised(plan, threads, living));
}

void Index::replace(Index fresh, base::Gate* gate) {
  const std::unique_lock<base::Gate> hold = base::writing(gate);
  std::swap(state_, fresh.state_);  // the old state is freed after `hold`, unless a search still uses it
}

std::vector<std::vector<Found>> Index::search(const Plan& plan, const Request& request) {
  std::shared_lock<base::Gate> hold = base::reading(request.gate);
  const std::shared_ptr<State> state = state_;
  hold = {};
  return state->search(plan, request);
}

std::vector<Found> Index::find(const Plan& plan, Seeker& seeker, const Request& one) {
  const std::shared_lock<base::Gate> hold = base::reading(one.gate);
  return state_->find(plan, *seeker.query_, one);
}

void Index::copy_row(std::int64_t id, double* out) const { state_->copy_row(id, out); }

void Index::costs(const Plan& plan, Seeker& seeker, const double* query, const double* weights, const std::int64_t* ids,
                  std::size_t n, double* out) const {
  state_->costs(plan, seeker.query_->measure, query, weights, ids, n, out);
}

}  // namespace priorcase::search
