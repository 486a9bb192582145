// The index: rows come, go and are searched; now and then they are put in tree order again.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "priorcase/search.hpp"
#include "priorcase/threads.hpp"

namespace priorcase {

// What to look for, for a whole batch.
struct Request {
  const double* queries = nullptr;
  std::size_t n_queries = 0;
  const double* weights = nullptr;
  bool weights_per_query = false;
  std::size_t k = 0;               // 0: everything within the limits
  const double* limits = nullptr;  // one cost per query
  bool ties = false;
  const std::int64_t* exclude = nullptr;
  const Judge* judge = nullptr;    // shared by all queries
  Algorithm algorithm = Algorithm::automatic;
  std::size_t threads = 1;
};

class Index {
 public:
  explicit Index(std::vector<std::uint8_t> coded)
      : coded_(std::move(coded)),
        wide_(coded_.size(), 0),
        store_(std::make_unique<Store>(coded_, wide_)) {}

  std::size_t n_attributes() const { return coded_.size(); }
  std::size_t n_rows() const { return store_->n_alive(); }
  std::size_t n_bytes() const { return store_->n_bytes() + tree_.n_bytes(); }
  bool has(std::int64_t id) const { return store_->has(id); }

  // Whether the plan knows every stored symbol and every queried one.
  bool covers(const Plan& plan, const double* queries, std::size_t n_queries) const {
    for (std::size_t a = 0; a < n_attributes(); ++a) {
      if (plan[a].kind != Attribute::Kind::profile && plan[a].kind != Attribute::Kind::table) continue;
      const double count = static_cast<double>(plan[a].count);
      if (static_cast<double>(store_->bins[a].largest()) >= count) return false;
      for (std::size_t q = 0; q < n_queries; ++q)
        if (queries[q * n_attributes() + a] >= count) return false;
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
    const std::size_t n_tiles = (request.n_queries + tile - 1) / tile;
    std::atomic<std::size_t> next{0};
    run_on_threads(std::min(request.threads, n_tiles), [&] {
      std::vector<Seeker> seekers(tile);
      for (std::size_t t; (t = next++) < n_tiles;) {
        const std::size_t first = t * tile;
        answer(search, request, seekers, first, std::min(tile, request.n_queries - first), results);
      }
    });
    return results;
  }

  // One query on the calling thread: the k nearest rows, or with k = 0 all at a cost of at most the limit. The seeker
  // keeps its memory from one query to the next.
  std::vector<Found> find(const Plan& plan, Seeker& seeker, const Request& one) {
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
  void costs(const Plan& plan, const double* query, const double* weights, const std::int64_t* ids, std::size_t n,
             double* out) const {
    Measure measure;
    costs(plan, measure, query, weights, ids, n, out);
  }

  void costs(const Plan& plan, Measure& measure, const double* query, const double* weights, const std::int64_t* ids,
             std::size_t n, double* out) const {
    measure.prepare(plan, *store_, query, weights);
    for (std::size_t i = 0; i < n; ++i) out[i] = plan.root.settled(measure.cost(store_->slot(ids[i]), infinity));
  }

 private:
  static constexpr std::size_t most_in_tile = 16;
  static constexpr std::size_t sample_rows = 1 << 12;

  void answer(const Search& search, const Request& request, std::vector<Seeker>& seekers, std::size_t first,
              std::size_t count, std::vector<std::vector<Found>>& results) {
    for (std::size_t i = 0; i < count; ++i) start(search, request, seekers[i], first + i);
    run(search, request.algorithm, seekers.data(), count);
    for (std::size_t i = 0; i < count; ++i) results[first + i] = seekers[i].nearest.take();
  }

  void run(const Search& search, Algorithm algorithm, Seeker* seekers, std::size_t count) {
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
  void choose(const Search& search, Seeker* seekers, std::size_t count) {
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

  void tree_or_scan(const Search& search, Seeker* seekers, std::size_t count) {
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

  void start(const Search& search, const Request& request, Seeker& seeker, std::size_t q) const {
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

}  // namespace priorcase
