#include "votes/votes.hpp"

#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/checks.hpp"

namespace priorcase::bindings {

namespace {

// Voters of each query: query q's are at indptr[q] to indptr[q + 1]. The arrays are read without the GIL.
votes::VoteLists vote_lists(const Ids& indptr, const Vector& votes) {
  require_lists(indptr, votes.size());
  for (std::size_t q = 0; q + 1 < indptr.size(); ++q)
    require(indptr.data()[q] < indptr.data()[q + 1], "a list has a voter");
  for (std::size_t i = 0; i < votes.size(); ++i)
    require(votes.data()[i] >= 0.0, "a vote is a number of 0 or more");
  return {indptr.data(), indptr.size() - 1, votes.data()};
}

nb::tuple elect(Ids indptr, Ids classes, Vector votes, Vector distances, std::size_t n_classes,
                std::optional<Vector> class_weights, int ties) {
  const auto rule = checked_option(ties, votes::VoteTies::reduce, "no such rule for ties");
  require(!class_weights || class_weights->size() == n_classes, "one weight per class");
  require(votes.size() == classes.size() && distances.size() == classes.size(), "one class and distance per vote");
  std::vector<std::int64_t> chosen;
  {
    nb::gil_scoped_release release;
    const votes::VoteLists lists = vote_lists(indptr, votes);
    require_below(classes, static_cast<std::int64_t>(std::min<std::size_t>(n_classes, INT64_MAX)), "no such class");
    const std::int64_t* end = classes.data() + classes.size();
    const std::int64_t most = classes.size() ? *std::max_element(classes.data(), end) + 1 : 0;  // more have no votes
    votes::Election election(rule, class_weights ? class_weights->data() : nullptr, static_cast<std::size_t>(most));
    chosen = votes::elect(lists, classes.data(), distances.data(), election);
  }
  const auto open = std::count(chosen.begin(), chosen.end(), -1);
  return nb::make_tuple(to_numpy(std::move(chosen)), open);
}

nb::ndarray<nb::numpy, double> weighted_means(Ids indptr, Vector numbers, Vector votes) {
  require(votes.size() == numbers.size(), "one number per vote");
  std::vector<double> means;
  {
    nb::gil_scoped_release release;
    means = votes::weighted_means(vote_lists(indptr, votes), numbers.data());
  }
  return to_numpy(std::move(means));
}

}  // namespace

void bind_votes(nb::module_& module) {
  module.def("elect", &elect, nb::arg("indptr"), nb::arg("classes"), nb::arg("votes"), nb::arg("distances"),
             nb::arg("n_classes"), nb::arg("class_weights").none(), nb::arg("ties"),
             "The class that the votes on each query are for, and how many are open (-1): tied, to be decided "
             "otherwise.");
  module.def("weighted_means", &weighted_means, nb::arg("indptr"), nb::arg("numbers"), nb::arg("votes"),
             "The mean of the voters' numbers on each query, weighted by their votes.");
}

}  // namespace priorcase::bindings
