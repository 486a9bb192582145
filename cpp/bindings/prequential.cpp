#include "votes/prequential.hpp"

#include <optional>
#include <stdexcept>

#include <nanobind/stl/optional.h>

#include "votes/votes.hpp"
#include "bindings/shared_index.hpp"

namespace priorcase::bindings {

namespace {

using Codes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

votes::VoteTies ties_of(int ties) {
  require(0 <= ties && ties <= static_cast<int>(votes::VoteTies::reduce), "no such rule for ties");
  return static_cast<votes::VoteTies>(ties);
}

// A stream of rows that several calls go through, one block each.
struct Stream {
  Stream(const search::Plan& plan, Flags ranged, Vector low, Vector high, Vector weights, std::size_t k, bool whole_ties,
         int vote, double power, bool root, int algorithm)
      : n_attributes(checked_width(plan, ranged.size(), low.size(), high.size(), weights.size())),
        rows(plan, search::Ranges{{ranged.data(), ranged.data() + n_attributes}, copy(low), copy(high)}, copy(weights),
             rules_of(k, whole_ties, vote, base::Root(power, root), algorithm)) {}

  template <class... Sizes>
  static std::size_t checked_width(const search::Plan& plan, Sizes... sizes) {
    plan.require_complete();
    require(((sizes == plan.size()) && ...), "one of each per attribute");
    return plan.size();
  }

  static votes::PollRules rules_of(std::size_t k, bool whole_ties, int vote, const base::Root& root, int algorithm) {
    require(0 <= vote && vote <= static_cast<int>(votes::VoteRule::inverse_square), "no such vote");
    require(0 <= algorithm && algorithm <= static_cast<int>(search::Algorithm::plain), "no such algorithm");
    return {k, whole_ties, static_cast<votes::VoteRule>(vote), root, static_cast<search::Algorithm>(algorithm)};
  }

  const std::size_t n_attributes;  // checked before anything is made of the rest
  votes::Prequential rows;
};

// A block of rows to be answered and stored.
struct Block {
  Matrix cells;
  Ids ids;
  Ids stored;  // all rows that have a target, these among them
};

// The row whose voters are not all at a finite distance, and the first of them that is not.
struct TooFar {
  std::int64_t row = -1, voter = -1;
};

// Answers and stores the rows of a block, as far as no voter is infinitely far away. `answer` gets a row's number, its
// voters and where their targets are; `learn` where the target of a row is that was stored.
template <class Answer, class Learn>
TooFar run(Stream& stream, SharedIndex& shared, const Block& block, const Answer& answer, const Learn& learn) {
  const std::size_t width = stream.n_attributes;
  require(shared.index.n_attributes() == width && block.cells.shape(1) == width, "index and rows differ in width");
  require(block.cells.shape(0) == block.ids.size(), "rows and ids do not match");
  const votes::Positions position(block.stored.data(), block.stored.size());
  nb::gil_scoped_release release;
  const std::unique_lock hold(shared.lock);
  shared.require_cover(stream.rows.plan(), block.cells.data(), block.ids.size());
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < block.ids.size(); ++i) {
    const double* row = block.cells.data() + i * width;
    const std::int64_t id = block.ids.data()[i];
    if (shared.index.has(id)) throw std::invalid_argument("a row with this id is stored already");
    if (const votes::Poll* poll = stream.rows.ask(shared.index, row)) {
      if (const std::int64_t voter = stream.rows.too_far(shared.index, row); voter >= 0)
        return {static_cast<std::int64_t>(i), voter};
      at.clear();
      for (const std::int64_t voter : poll->ids) at.push_back(position(voter));
      answer(i, *poll, at);
    }
    stream.rows.store(shared.index, id, row);
    learn(position(id));
  }
  return {};
}

// Classes of several outputs; class_weights holds those of output t from starts[t] on, and follows the rows.
nb::tuple classify(Stream& self, SharedIndex& index, Matrix cells, Ids ids, Ids stored, Codes codes, Ids starts,
                   Weights class_weights, int ties) {
  const std::size_t n = codes.shape(1);
  require(codes.shape(0) == stored.size(), "one class per stored row");
  require(starts.size() == n + 1 && starts.data()[0] == 0 &&
              static_cast<std::size_t>(starts.data()[n]) == class_weights.size(),
          "one start per output");
  std::vector<votes::Election> elections;
  for (std::size_t t = 0; t < n; ++t) {
    const std::int64_t n_classes = starts.data()[t + 1] - starts.data()[t];
    require(n_classes > 0, "an output has classes");
    elections.emplace_back(ties_of(ties), class_weights.data() + starts.data()[t], n_classes);
  }
  const auto class_at = [&](std::size_t row, std::size_t t) {
    const std::int64_t c = codes.data()[row * n + t];
    if (c < 0 || c >= starts.data()[t + 1] - starts.data()[t]) throw std::out_of_range("no such class");
    return c;
  };
  std::vector<std::int64_t> chosen(ids.size() * n, -1), classes;
  const auto answer = [&](std::size_t i, const votes::Poll& poll, const std::vector<std::size_t>& at) {
    for (std::size_t t = 0; t < n; ++t) {
      classes.clear();
      for (const std::size_t row : at) classes.push_back(class_at(row, t));
      const votes::Electorate voters{classes.data(), poll.votes.data(), poll.distances.data(), classes.size()};
      const std::int64_t winner = elections[t].winner(voters);
      chosen[i * n + t] = winner < 0 ? elections[t].reduced(voters) : winner;
    }
  };
  const auto learn = [&](std::size_t row) {
    for (std::size_t t = 0; t < n; ++t) class_weights.data()[starts.data()[t] + class_at(row, t)] += 1.0;
  };
  const TooFar far = run(self, index, {cells, ids, stored}, answer, learn);
  return nb::make_tuple(to_numpy(std::move(chosen), {ids.size(), n}), far.row, far.voter);
}

// Means of several outputs; NaN where there were too few rows to vote.
nb::tuple average(Stream& self, SharedIndex& index, Matrix cells, Ids ids, Ids stored, Matrix targets) {
  const std::size_t n = targets.shape(1);
  require(targets.shape(0) == stored.size(), "one number per stored row");
  std::vector<double> means(ids.size() * n, std::numeric_limits<double>::quiet_NaN()), numbers;
  const auto answer = [&](std::size_t i, const votes::Poll& poll, const std::vector<std::size_t>& at) {
    for (std::size_t t = 0; t < n; ++t) {
      numbers.clear();
      for (const std::size_t row : at) numbers.push_back(targets.data()[row * n + t]);
      means[i * n + t] = votes::weighted_mean(numbers.data(), poll.votes.data(), numbers.size());
    }
  };
  const TooFar far = run(self, index, {cells, ids, stored}, answer, [](std::size_t) {});
  return nb::make_tuple(to_numpy(std::move(means), {ids.size(), n}), far.row, far.voter);
}

}  // namespace

void bind_prequential(nb::module_& module) {
  nb::class_<Stream>(module, "Stream", "Rows that are each answered from those before, then stored.")
      .def(nb::init<const search::Plan&, Flags, Vector, Vector, Vector, std::size_t, bool, int, double, bool, int>(),
           nb::arg("plan"), nb::arg("ranged"), nb::arg("low"), nb::arg("high"), nb::arg("weights"), nb::arg("k"),
           nb::arg("ties"), nb::arg("vote"), nb::arg("power"), nb::arg("root"), nb::arg("algorithm"))
      .def("classify", &classify, nb::arg("index"), nb::arg("cells"), nb::arg("ids"), nb::arg("stored"),
           nb::arg("codes"), nb::arg("starts"), nb::arg("class_weights"), nb::arg("ties"))
      .def("average", &average, nb::arg("index"), nb::arg("cells"), nb::arg("ids"), nb::arg("stored"),
           nb::arg("targets"));
}

}  // namespace priorcase::bindings
