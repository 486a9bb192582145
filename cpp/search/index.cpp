#include "search/index.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/threads.hpp"
#include "search/bounds.hpp"
#include "search/measure.hpp"
#include "search/store.hpp"
#include "search/tree.hpp"

namespace priorcase::search {

// One query under way.
struct Query {
  Measure measure;
  Bounds bounds;
  Nearest nearest;
  std::int64_t exclude = -1;
  const Judge* judge = nullptr;        // none: every row at its cost
  std::size_t seeded = Store::nobody;  // the panel that was looked at first
  std::size_t panels_seen = 0, boxes_seen = 0, rows_weighed = 0;
  std::vector<std::pair<std::size_t, unsigned>> nodes_waiting;

  void start() {
    seeded = first_surveyed_ = Store::nobody;
    panels_seen = boxes_seen = rows_weighed = noted_ = 0;
    kernels_ = &kernels();
  }

  void look_at(const Store& store, std::size_t panel) {
    look_ahead(store, panel);
    if (noted_ > 0) weigh(store);
  }

  // As look_at, but a few rows may wait for the next call or for weigh: their cells come from far memory meanwhile.
  void look_ahead(const Store& store, std::size_t panel) {
    std::uint64_t survivors[panel_words];
    kernels_->scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors);
    pass(store, panel, survivors);
  }

  // Two queries look ahead at a panel together.
  static void look_ahead(Query& one, Query& other, const Store& store, std::size_t panel) {
    std::uint64_t survivors[panel_words], other_survivors[panel_words];
    one.kernels_->scan_two(store.panel(panel), one.bounds.tables(), other.bounds.tables(), store.n_attributes(),
                           survivors, other_survivors);
    one.pass(store, panel, survivors);
    other.pass(store, panel, other_survivors);
  }

  // Takes over the rows of a panel that the scan did not rule out.
  void pass(const Store& store, std::size_t panel, std::uint64_t* survivors) {
    ++panels_seen;
    if (panel == seeded) return;
    if (panel - first_surveyed_ < n_surveyed)
      for (std::size_t w = 0; w < panel_words; ++w) survivors[w] &= ~surveyed_[panel - first_surveyed_][w];
    note(store, panel, survivors);
    if (noted_ >= most_waiting) weigh(store);
  }

  // Measures the most promising rows of some panels around the first one: where rows are long, a good limit saves most.
  void survey(const Store& store) {
    if (!bounds.second_look() || nearest.wanted() == 0 || bounds.limit() == base::infinity) return;
    if (store.n_panels() < 4 * n_surveyed) return;
    first_surveyed_ = std::min(seeded / n_surveyed * n_surveyed, store.n_panels() - n_surveyed);
    for (std::size_t i = 0; i < n_surveyed; ++i) {
      const std::size_t panel = first_surveyed_ + i;
      if (panel == seeded) continue;
      kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), (nearest.wanted() + 15) / 16,
                          surveyed_[i]);
      note(store, panel, surveyed_[i]);
      if (noted_ >= most_waiting) weigh(store);
    }
    weigh(store);
  }

  // The first panel, for a first limit: its most promising rows by rough sums, then those the limit lets pass.
  void look_first(const Store& store, std::size_t panel, const std::uint64_t* box) {
    if (bounds.limit() < base::infinity) return look_at(store, panel);
    ++panels_seen;
    std::uint64_t chosen[panel_words], survivors[panel_words];
    bounds.rescale(bounds.spread(box));
    kernels_->promising(store.panel(panel), bounds.tables(), store.n_attributes(), nearest.wanted(), chosen);
    bounds.rescale(base::infinity);
    note(store, panel, chosen);
    weigh(store);
    kernels_->scan(store.panel(panel), bounds.tables(), store.n_attributes(), survivors);
    for (std::size_t w = 0; w < panel_words; ++w) survivors[w] &= ~chosen[w];
    note(store, panel, survivors);
    weigh(store);
  }

  // Measures the noted rows. The tables are worth scaling again once the limit has shrunk by a tenth.
  void weigh(const Store& store) {
    rows_weighed += noted_;
    double costs[panel_rows + most_waiting];
    measure.costs(waiting_, noted_, reach(), costs);
    measure.plan().root.settle(costs, noted_);
    for (std::size_t i = 0; i < noted_; ++i)
      if (costs[i] <= nearest.limit()) keep(costs[i], store.id(waiting_[i]));
    noted_ = 0;
    tighten();
  }

  void offer(double cost, std::int64_t id) {
    if (cost <= reach()) keep(measure.plan().root.settled(cost), id);
  }

  void keep(double cost, std::int64_t id) {
    if (id == exclude) return;
    if (judge != nullptr && (cost = (*judge)(id, cost)) < 0.0) return;
    nearest.offer(cost, id);
  }

  void tighten() {
    const double limit = reach();
    if (limit < 0.9 * bounds.limit() || (bounds.limit() == base::infinity && limit < base::infinity)) bounds.rescale(limit);
  }

  // A row with a larger cost cannot be kept any more.
  double reach() const { return measure.plan().root.reach(nearest.limit()); }

 private:
  static constexpr std::size_t most_waiting = 16;

  // Notes the given rows of a panel but for those that a second look rules out.
  void note(const Store& store, std::size_t panel, const std::uint64_t* rows) {
    const std::uint8_t* codes = store.panel(panel);
    for (std::size_t w = 0; w < panel_words; ++w)
      for (std::uint64_t left = rows[w]; left; left &= left - 1) {
        const std::size_t lane = w * 64 + std::countr_zero(left);
        if (bounds.rules_out(codes + lane)) continue;
        const std::size_t slot = panel * panel_rows + lane;
        store.prefetch(slot);
        waiting_[noted_++] = static_cast<std::uint32_t>(slot);
      }
  }

  static constexpr std::size_t n_surveyed = 16;

  const Kernels* kernels_ = nullptr;
  std::size_t first_surveyed_ = Store::nobody;
  std::uint64_t surveyed_[n_surveyed][panel_words];
  std::size_t noted_ = 0;
  std::uint32_t waiting_[panel_rows + most_waiting];
};

namespace {

class Search {
 public:
  Search(const Plan& plan, const Store& store, const Tree& tree)
      : store_(store), tree_(tree), boxes_(plan, store), plan_(plan) {}

  void start(Query& seeker, const double* query, const double* weights, bool bounds) const {
    seeker.measure.prepare(plan_, store_, query, weights);
    seeker.start();
    if (!bounds) return;
    seeker.bounds.prepare(seeker.measure, boxes_);
    seeker.tighten();
  }

  void plain(Query& seeker) const {
    for (std::size_t slot = 0; slot < store_.n_slots(); ++slot)
      if (store_.is_alive(slot)) {
        seeker.offer(seeker.measure.cost(slot, base::infinity), store_.id(slot));
      }
  }

  // All panels for a few queries at a time, so that the codes are read from the nearest memory.
  void scan(Query* seekers, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      seed(seekers[i]);
      seekers[i].survey(store_);
    }
    const std::size_t stride = std::max<std::size_t>(1, near_memory / (store_.n_attributes() * panel_rows));
    for (std::size_t first = 0; first < store_.n_panels(); first += stride) {
      const std::size_t last = std::min(first + stride, store_.n_panels());
      std::size_t i = 0;
      for (; i + 2 <= count; i += 2)
        for (std::size_t p = first; p < last; ++p) Query::look_ahead(seekers[i], seekers[i + 1], store_, p);
      for (; i < count; ++i)
        for (std::size_t p = first; p < last; ++p) seekers[i].look_ahead(store_, p);
    }
    for (std::size_t i = 0; i < count; ++i) seekers[i].weigh(store_);
  }

  // Depth first, nearer child first, leaving out every box that lies too far; then the rows that came later.
  void tree(Query& seeker) const {
    if (!tree_.empty()) descend(seeker);
    for (std::size_t p = tree_.n_panels(); p < store_.n_panels(); ++p) seeker.look_at(store_, p);
  }

 private:
  static constexpr std::size_t near_memory = 16 * 1024;

  // A first panel close to the query makes the limit small before the long search begins.
  void seed(Query& seeker) const {
    if (tree_.empty()) return;
    std::size_t at = 0;
    while (tree_.node(at).left >= 0) {
      const Node& node = tree_.node(at);
      const std::uint64_t left = tree_.box(node.left)[node.split], right = tree_.box(node.right)[node.split];
      at = seeker.bounds.is_nearer(node.split, right, left) ? node.right : node.left;
    }
    seeker.look_first(store_, tree_.node(at).first_panel, tree_.box(at));
    seeker.seeded = tree_.node(at).first_panel;
  }

  void descend(Query& seeker) const {
    std::vector<std::pair<std::size_t, unsigned>>& waiting = seeker.nodes_waiting;
    seed(seeker);
    waiting.assign(1, {0, 0});
    while (!waiting.empty()) {
      const auto [at, bound] = waiting.back();
      waiting.pop_back();
      if (bound > 0 && seeker.bounds.over(tree_.box(at)) > 254) continue;
      const Node& node = tree_.node(at);
      if (node.left < 0) {
        seeker.look_at(store_, node.first_panel);
        continue;
      }
      seeker.boxes_seen += 2;
      const unsigned left = seeker.bounds.over(tree_.box(node.left));
      const unsigned right = seeker.bounds.over(tree_.box(node.right));
      const std::pair<std::size_t, unsigned> near{left <= right ? node.left : node.right, std::min(left, right)};
      const std::pair<std::size_t, unsigned> far{left <= right ? node.right : node.left, std::max(left, right)};
      if (far.second <= 254) waiting.push_back(far);
      if (near.second <= 254) waiting.push_back(near);
    }
  }

  const Store& store_;
  const Tree& tree_;
  const CurveBoxes boxes_;
  const Plan& plan_;
};

}  // namespace

struct Index::State {
  explicit State(std::vector<std::uint8_t> coded)
      : coded_(std::move(coded)),
        wide_(coded_.size(), 0),
        store_(std::make_unique<Store>(coded_, wide_)) {}

  std::size_t n_attributes() const { return coded_.size(); }
  std::size_t n_rows() const { return store_->n_alive(); }
  std::size_t n_bytes() const { return store_->n_bytes() + tree_.n_bytes(); }
  bool has(std::int64_t id) const { return store_->has(id); }

  bool takes(const double* rows, std::size_t n, bool queries) const {
    constexpr double codes_end = 2147483648.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < n_attributes(); ++a) {
        const double cell = rows[i * n_attributes() + a];
        if (std::isnan(cell)) continue;
        if (!std::isfinite(cell)) return false;
        if (!coded_[a] || (queries && cell < 0.0)) continue;
        if (!(0.0 <= cell && cell < codes_end) || cell != static_cast<double>(static_cast<std::int64_t>(cell))) return false;
      }
    return true;
  }

  // Whether the plan knows every stored symbol and every queried one.
  bool covers(const Plan& plan, const double* queries, std::size_t n_queries) const {
    for (std::size_t a = 0; a < n_attributes(); ++a) {
      const double end = plan[a].codes_end();
      if (end == base::infinity) continue;
      if (static_cast<double>(store_->bins[a].largest()) >= end) return false;
      for (std::size_t q = 0; q < n_queries; ++q)
        if (queries[q * n_attributes() + a] >= end) return false;
    }
    return true;
  }

  // Rows go to the open panel behind the tree; the tree is built when there are enough of them.
  void append(const std::int64_t* ids, const double* rows, std::size_t n) {
    if (n > 0 && store_->n_slots() == 0) store_->set_first_id(ids[0]);
    if (store_->n_dead() > 4 * panel_rows + 2 * store_->n_alive()) compact();
    if (n > store_->n_slots()) store_->reserve(store_->n_slots() + n);
    for (std::size_t i = 0; i < n; ++i) {
      const double* row = rows + i * n_attributes();
      if (!store_->fits(row)) widen(row);
      store_->append(ids[i], row);
    }
  }

  void remove(std::int64_t id) { store_->remove(id); }

  // Whether so many rows came or went that a new layout is worth its time.
  bool is_due() const {
    const std::size_t in_tree = tree_.n_panels() * panel_rows;
    const std::size_t late = store_->n_slots() - std::min(in_tree, store_->n_slots());
    const bool many_late = late > std::max<std::size_t>(panel_rows, store_->n_slots() / 5);
    return many_late || store_->n_dead() > panel_rows + store_->n_alive() / 2;
  }

  // Learns the bins afresh and lays the rows out in tree order.
  void organise(const Plan& plan) {
    std::vector<std::uint32_t> slots = alive_slots();
    std::vector<Bins> bins = learn_bins(slots);
    TreeOrder order(plan, *store_, slots);
    relay(slots, std::move(bins));
    store_->close_panel();
    tree_ = Tree(std::move(order.nodes), *store_);
    looks_ = 0.0;
    bounds_fail_ = false;
    plain_pace_ = 0.0;
  }

  std::vector<std::vector<Found>> search(const Plan& plan, const Request& request) {
    std::vector<std::vector<Found>> results(request.n_queries);
    const Search search(plan, *store_, tree_);
    const std::size_t tile = std::clamp<std::size_t>(request.n_queries / 4 / request.threads, 1, most_in_tile);
    base::for_blocks(request.n_queries, tile, request.threads, [&] {
      return [&, seekers = std::vector<Query>(tile)](std::size_t first, std::size_t last) mutable {
        answer(search, request, seekers, first, last - first, results);
      };
    });
    return results;
  }

  // One query on the calling thread: the k nearest rows, or with k = 0 all at a cost of at most the limit. The seeker
  // keeps its memory from one query to the next.
  std::vector<Found> find(const Plan& plan, Query& seeker, const Request& one) {
    const Search search(plan, *store_, tree_);
    start(search, one, seeker, 0);
    run(search, one.algorithm, &seeker, 1);
    return seeker.nearest.take();
  }

  // The values of a row.
  void copy_row(std::int64_t id, double* out) const {
    const std::size_t slot = store_->slot(id);
    for (std::size_t a = 0; a < n_attributes(); ++a) out[a] = store_->value(slot, a);
  }

  // The cost of every row, in the order of the given ids; equal where distances are.
  void costs(const Plan& plan, Measure& measure, const double* query, const double* weights, const std::int64_t* ids,
             std::size_t n, double* out) const {
    measure.prepare(plan, *store_, query, weights);
    for (std::size_t i = 0; i < n; ++i) out[i] = plan.root.settled(measure.cost(store_->slot(ids[i]), base::infinity));
  }

  static constexpr std::size_t most_in_tile = 16;
  static constexpr std::size_t sample_rows = 1 << 12;

  void answer(const Search& search, const Request& request, std::vector<Query>& seekers, std::size_t first,
              std::size_t count, std::vector<std::vector<Found>>& results) {
    for (std::size_t i = 0; i < count; ++i) start(search, request, seekers[i], first + i);
    run(search, request.algorithm, seekers.data(), count);
    for (std::size_t i = 0; i < count; ++i) results[first + i] = seekers[i].nearest.take();
  }

  void run(const Search& search, Algorithm algorithm, Query* seekers, std::size_t count) {
    switch (algorithm) {
      case Algorithm::plain:
        for (std::size_t i = 0; i < count; ++i) search.plain(seekers[i]);
        break;
      case Algorithm::scan: search.scan(seekers, count); break;
      case Algorithm::tree:
        for (std::size_t i = 0; i < count; ++i) search.tree(seekers[i]);
        break;
      case Algorithm::automatic: choose(search, seekers, count); break;
    }
  }

  // The tree while it looks at less than a scan would; now and then one query tells whether that has changed. Where
  // most rows pass the bounds all the same, the plain loop if the clock finds it faster.
  void choose(const Search& search, Query* seekers, std::size_t count) {
    if (tree_.empty() || (bounds_fail_ && plain_pace_ <= bounds_pace_)) {
      plain_pace_ = seconds([&] {
        for (std::size_t i = 0; i < count; ++i) search.plain(seekers[i]);
      }) / static_cast<double>(count);
      if ((until_probe_ -= static_cast<std::int64_t>(count)) <= 0) {  // later queries may be easier to bound
        until_probe_ = 64;
        bounds_fail_ = false;
      }
      return;
    }
    bounds_pace_ = seconds([&] { tree_or_scan(search, seekers, count); }) / static_cast<double>(count);
    std::size_t weighed = 0;
    for (std::size_t i = 0; i < count; ++i) weighed += seekers[i].rows_weighed;
    bounds_fail_ = 2 * weighed > count * store_->n_alive();
  }

  void tree_or_scan(const Search& search, Query* seekers, std::size_t count) {
    const bool probe = (until_probe_ -= static_cast<std::int64_t>(count)) <= 0;
    if (probe) until_probe_ = probe_gap_ = std::min<std::int64_t>(2 * probe_gap_, 8192);
    std::size_t done = 0;
    for (; done < count && (looks_ < store_->n_panels() || (probe && done == 0)); ++done) {
      search.tree(seekers[done]);
      const double looks = seekers[done].panels_seen + kernels().box_cost * seekers[done].boxes_seen;
      // A running mean: one odd query is no reason to change.
      looks_ = looks_ == 0.0 ? looks : probe ? (looks_ + looks) / 2 : looks_ + (looks - looks_) / 16;
    }
    if (done < count) search.scan(seekers + done, count - done);
  }

  template <class Work>
  static double seconds(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void start(const Search& search, const Request& request, Query& seeker, std::size_t q) const {
    if (request.k > 0)
      seeker.nearest.start(request.k, request.ties);
    else
      seeker.nearest.start_within(request.limits[q]);
    seeker.exclude = request.exclude ? request.exclude[q] : -1;
    seeker.judge = request.judge;
    const double* weights = request.weights + (request.weights_per_query ? q * n_attributes() : 0);
    search.start(seeker, request.queries + q * n_attributes(), weights, uses_bounds(request.algorithm));
  }

  bool uses_bounds(Algorithm algorithm) const {
    return algorithm != Algorithm::plain && !(algorithm == Algorithm::automatic && tree_.empty());
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

  // A fresh store with the given rows in the given order.
  void relay(const std::vector<std::uint32_t>& slots, std::vector<Bins> bins) {
    auto fresh = std::make_unique<Store>(coded_, wide_);
    fresh->bins = std::move(bins);
    fresh->reserve((slots.size() + panel_rows - 1) / panel_rows * panel_rows);
    std::int64_t first = slots.empty() ? store_->first_id() : store_->id(slots.front());
    for (const std::uint32_t slot : slots) first = std::min(first, store_->id(slot));
    fresh->set_first_id(first);
    std::vector<double> row(n_attributes());
    for (const std::uint32_t slot : slots) {
      for (std::size_t a = 0; a < n_attributes(); ++a) row[a] = store_->value(slot, a);
      fresh->append(store_->id(slot), row.data());
    }
    store_ = std::move(fresh);
    tree_ = Tree();
  }

  // A symbol past the 62nd: its attribute keeps exact codes as cells from now on.
  void widen(const double* row) {
    for (std::size_t a = 0; a < n_attributes(); ++a)
      if (coded_[a] && row[a] >= static_cast<double>(n_bins)) wide_[a] = 1;
    compact();
  }

  // Drops the places of removed rows; the tree comes again with the next search.
  void compact() {
    const std::vector<std::uint32_t> slots = alive_slots();
    relay(slots, learn_bins(slots));
  }

  std::vector<std::uint32_t> alive_slots() const {
    std::vector<std::uint32_t> slots;
    slots.reserve(store_->n_alive());
    for (std::size_t slot = 0; slot < store_->n_slots(); ++slot)
      if (store_->is_alive(slot)) slots.push_back(static_cast<std::uint32_t>(slot));
    return slots;
  }

  std::vector<std::uint8_t> coded_, wide_;
  std::unique_ptr<Store> store_;
  Tree tree_;
  std::atomic<double> looks_{0.0};  // what the tree lately looked at for a query, in panels
  std::atomic<bool> bounds_fail_{false};               // most rows were measured all the same
  std::atomic<double> bounds_pace_{0.0}, plain_pace_{0.0};  // seconds a query
  std::atomic<std::int64_t> until_probe_{64}, probe_gap_{64};
};

Seeker::Seeker() : query_(std::make_unique<Query>()) {}
Seeker::~Seeker() = default;
Seeker::Seeker(Seeker&&) noexcept = default;
Seeker& Seeker::operator=(Seeker&&) noexcept = default;

const Difference& Seeker::difference(std::size_t a) const { return query_->measure.differences[a]; }

Index::Index(std::vector<std::uint8_t> coded) : state_(std::make_unique<State>(std::move(coded))) {}
Index::~Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;

std::size_t Index::n_attributes() const { return state_->n_attributes(); }
std::size_t Index::n_rows() const { return state_->n_rows(); }
std::size_t Index::n_bytes() const { return state_->n_bytes(); }
bool Index::has(std::int64_t id) const { return state_->has(id); }

bool Index::takes(const double* rows, std::size_t n, bool queries) const { return state_->takes(rows, n, queries); }

bool Index::covers(const Plan& plan, const double* queries, std::size_t n_queries) const {
  return state_->covers(plan, queries, n_queries);
}

void Index::append(const std::int64_t* ids, const double* rows, std::size_t n) { state_->append(ids, rows, n); }
void Index::remove(std::int64_t id) { state_->remove(id); }
bool Index::is_due() const { return state_->is_due(); }
void Index::organise(const Plan& plan) { state_->organise(plan); }

std::vector<std::vector<Found>> Index::search(const Plan& plan, const Request& request) {
  return state_->search(plan, request);
}

std::vector<Found> Index::find(const Plan& plan, Seeker& seeker, const Request& one) {
  return state_->find(plan, *seeker.query_, one);
}

void Index::copy_row(std::int64_t id, double* out) const { state_->copy_row(id, out); }

void Index::costs(const Plan& plan, Seeker& seeker, const double* query, const double* weights, const std::int64_t* ids,
                  std::size_t n, double* out) const {
  state_->costs(plan, seeker.query_->measure, query, weights, ids, n, out);
}

}  // namespace priorcase::search
