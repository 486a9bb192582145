#include "votes/prequential.hpp"

#include <cmath>
#include <mutex>

#include "bindings/checks.hpp"
#include "bindings/shared_index.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

votes::VoteTies ties_of(int ties) { return checked_option(ties, votes::VoteTies::reduce, "no such rule for ties"); }

// A stream of rows that several calls go through, one after the other.
struct Stream {
  Stream(const search::Plan& plan, Flags ranged, Vector low, Vector high, Vector weights, std::size_t k,
         bool whole_ties, int vote, double power, bool root, int algorithm)
      : rows(plan, checked_ranges(plan, ranged, low, high), checked_weights(plan, weights),
             rules_of(k, whole_ties, vote, power, root, algorithm)) {}

  static search::Ranges checked_ranges(const search::Plan& plan, const Flags& ranged, const Vector& low,
                                       const Vector& high) {
    const std::size_t n = plan.size();
    require(n > 0, "rows have at least one attribute");
    plan.require_complete();
    require(ranged.size() == n && low.size() == n && high.size() == n, "one of each per attribute");
    for (std::size_t a = 0; a < n; ++a) {
      if (!ranged.data()[a]) continue;
      require(plan[a].as<search::Linear>() != nullptr, "only linear attributes have a range");
      const double from = low.data()[a], to = high.data()[a];
      require((std::isnan(from) && std::isnan(to)) || (std::isfinite(from) && std::isfinite(to) && from <= to),
              "a range is two finite numbers, the smaller one first, or two missing ones");
    }
    return {{ranged.data(), ranged.data() + n}, copy(low), copy(high)};
  }

  static std::vector<double> checked_weights(const search::Plan& plan, const Vector& weights) {
    require(weights.size() == plan.size(), "one of each per attribute");
    const double* const end = weights.data() + weights.size();
    require(std::all_of(weights.data(), end, is_weight), "weights are finite and not negative");
    return copy(weights);
  }

  static votes::PollRules rules_of(std::size_t k, bool whole_ties, int vote, double power, bool root, int algorithm) {
    require(std::isfinite(power) && power > 0.0, "distances have a power above 0");
    return {k, whole_ties, checked_option(vote, votes::VoteRule::inverse_square, "no such vote"),
            base::Root(power, root), checked_option(algorithm, search::Algorithm::plain, "no such algorithm")};
  }

  votes::Prequential rows;
  std::mutex lock;  // taken before that of an index
};

// Rows that a stream predicts and puts into an index, with both for this call alone, and without the GIL. They are
// copies, so that what is checked is what is stored; the other arrays are checked whenever they are read.
struct Arriving {
  Arriving(Stream& stream, SharedIndex& index, const Matrix& given, const Ids& names, const Ids& known)
      : cells(copy(given)),
        ids(copy(names)),
        rows{cells.data(), ids.data(), ids.size(), known.data(), known.size()},
        release(),
        stream_hold(stream.lock),
        change_hold(index.changing),
        index_hold(index.lock) {
    require(index.index.takes(rows.cells, rows.n), "numbers are finite, and codes count from 0");
    index.require_cover(stream.rows.plan(), rows.cells, rows.n);
  }

  static void check(const Stream& stream, const SharedIndex& index, const Matrix& cells, const Ids& ids) {
    const std::size_t width = stream.rows.n_attributes();
    require(index.coded.size() == width && cells.shape(1) == width, "index and rows differ in width");
    require(cells.shape(0) == ids.size(), "rows and ids do not match");
  }

  const std::vector<double> cells;
  const std::vector<std::int64_t> ids;
  const votes::Arrivals rows;
  const nb::gil_scoped_release release;
  const std::unique_lock<std::mutex> stream_hold, change_hold;
  const std::unique_lock<std::shared_mutex> index_hold;
};

// Classes of several outputs; class_weights holds those of output t from starts[t] on, and follows the rows.
nb::tuple classify(Stream& self, SharedIndex& index, Matrix cells, Ids ids, Ids stored, Codes codes, Ids starts,
                   Weights class_weights, int ties) {
  const std::size_t n = codes.shape(1);
  Arriving::check(self, index, cells, ids);
  require(codes.shape(0) == stored.size(), "one class per stored row");
  require(starts.size() == n + 1, "one start per output");
  require_lists(starts, class_weights.size());
  for (std::size_t t = 0; t < n; ++t) require(starts.data()[t] < starts.data()[t + 1], "an output has classes");
  const std::vector<std::int64_t> begins = copy(starts);
  const votes::KnownClasses known{codes.data(), n, begins.data(), class_weights.data(), ties_of(ties)};
  std::vector<std::int64_t> classes;
  votes::TooFar far;
  {
    const Arriving arriving(self, index, cells, ids, stored);
    far = votes::classify(self.rows, index.index, arriving.rows, known, classes);
  }
  return nb::make_tuple(to_numpy(std::move(classes), {ids.size(), n}), far.row, far.voter);
}

nb::tuple average(Stream& self, SharedIndex& index, Matrix cells, Ids ids, Ids stored, Matrix targets) {
  const std::size_t n = targets.shape(1);
  Arriving::check(self, index, cells, ids);
  require(targets.shape(0) == stored.size(), "one number per stored row");
  std::vector<double> means;
  votes::TooFar far;
  {
    const Arriving arriving(self, index, cells, ids, stored);
    far = votes::average(self.rows, index.index, arriving.rows, {targets.data(), n}, means);
  }
  return nb::make_tuple(to_numpy(std::move(means), {ids.size(), n}), far.row, far.voter);
}

}  // namespace

void bind_prequential(nb::module_& module) {
  nb::class_<Stream>(module, "Stream", "Rows that are each answered from those before, then stored.")
      .def(nb::init<const search::Plan&, Flags, Vector, Vector, Vector, std::size_t, bool, int, double, bool, int>(),
           nb::arg("plan"), nb::arg("ranged"), nb::arg("low"), nb::arg("high"), nb::arg("weights"), nb::arg("k"),
           nb::arg("ties"), nb::arg("vote"), nb::arg("power"), nb::arg("root"), nb::arg("algorithm"))
      .def("classify", &classify, nb::arg("index"), nb::arg("cells"), nb::arg("ids"), nb::arg("stored"),
           nb::arg("codes"), nb::arg("starts"), nb::arg("class_weights").noconvert(), nb::arg("ties"),
           "Adds the rows to the weights of their classes: float64, in one piece.")
      .def("average", &average, nb::arg("index"), nb::arg("cells"), nb::arg("ids"), nb::arg("stored"),
           nb::arg("targets"));
}

}  // namespace priorcase::bindings
