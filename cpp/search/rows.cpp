#include "search/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace priorcase::search {

namespace {

void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

}  // namespace

Rows::Rows(const Plan& plan, std::vector<std::uint8_t> coded, std::vector<double> cells, std::vector<double> weights)
    : plan(plan), coded(std::move(coded)), cells(std::move(cells)), weights(std::move(weights)),
      n(this->coded.empty() ? 0 : this->cells.size() / this->coded.size()) {
  const std::size_t width = this->coded.size();
  require(plan.size() == width && this->cells.size() == n * width && this->weights.size() == width,
          "plan, cells and weights differ in width");
  plan.require_rows(this->coded, this->cells.data(), n);
  require(n > 0, "there must be a row");
  const auto good = [](double weight) { return std::isfinite(weight) && weight >= 0.0; };
  require(std::all_of(this->weights.begin(), this->weights.end(), good), "weights are finite and not negative");
}

Subset::Subset(const Rows& rows, std::vector<std::uint8_t> held)
    : rows_(rows), held_(std::move(held)), index_(built(held_)) {}

void Subset::add(std::size_t row) {
  const std::int64_t id = static_cast<std::int64_t>(row);
  index_.append(&id, rows_.row(row), 1);
  held_[row] = 1;
  organise_if_due();
}

void Subset::remove(std::size_t row) {
  index_.remove(static_cast<std::int64_t>(row));
  held_[row] = 0;
  organise_if_due();
}

void Subset::restore(std::vector<std::uint8_t> held) {
  is_stale_ = true;
  held_ = std::move(held);
}

void Subset::prepare() {
  if (!is_stale_) return;
  index_ = built(held_);
  is_stale_ = false;
}

std::vector<Found> Subset::nearest(Seeker& seeker, std::size_t row, std::size_t k, bool itself, const Judge* judge) {
  const std::int64_t own = static_cast<std::int64_t>(row);
  Request request = one(row, judge);
  request.k = k;
  request.exclude = itself ? nullptr : &own;
  return index_.find(rows_.plan, seeker, request);
}

Found Subset::nearest_among(Seeker& seeker, std::size_t row, const std::vector<std::int64_t>& rows) const {
  std::vector<double> costs(rows.size());
  index_.costs(rows_.plan, seeker, rows_.row(row), rows_.weights.data(), rows.data(), rows.size(), costs.data());
  Found best{base::infinity, std::numeric_limits<std::int64_t>::max()};
  for (std::size_t i = 0; i < rows.size(); ++i) best = std::min(best, Found{costs[i], rows[i]});
  return best;
}

void Subset::show(Seeker& seeker, std::size_t row, double limit, const Judge& judge) {
  const std::int64_t own = static_cast<std::int64_t>(row);
  Request request = one(row, &judge);
  request.limits = &limit;
  request.exclude = &own;
  index_.find(rows_.plan, seeker, request);
}

std::vector<std::vector<Found>> Subset::nearest_of(std::size_t first, std::size_t last, std::size_t k, bool itself,
                                                   std::size_t threads) {
  std::vector<std::int64_t> own(last - first);
  std::iota(own.begin(), own.end(), static_cast<std::int64_t>(first));
  Request request = one(first, nullptr);
  request.n_queries = last - first;
  request.k = k;
  request.exclude = itself ? nullptr : own.data();
  request.threads = threads;
  return index_.search(rows_.plan, request);
}

Request Subset::one(std::size_t row, const Judge* judge) const {
  Request request;
  request.queries = rows_.row(row);
  request.n_queries = 1;
  request.weights = rows_.weights.data();
  request.judge = judge;
  return request;
}

Index Subset::built(const std::vector<std::uint8_t>& held) const {
  constexpr std::size_t at_once = 1024;
  Index index(rows_.coded);
  std::vector<std::int64_t> ids(rows_.n);
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  for (std::size_t first = 0, last; first < rows_.n; first = last) {
    base::check_interrupt();
    const std::size_t most = std::min(rows_.n, first + at_once);
    for (last = first; last < most && held[last]; ++last) continue;
    if (last > first) index.append(ids.data() + first, rows_.row(first), last - first);
    while (last < most && !held[last]) ++last;
  }
  if (index.is_due()) index.organise(rows_.plan);
  return index;
}

void Subset::organise_if_due() {
  if (index_.is_due()) index_.organise(rows_.plan);
}

}  // namespace priorcase::search
