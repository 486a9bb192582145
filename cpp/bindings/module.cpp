#include "bindings.hpp"
#include "base/cpu.hpp"

NB_MODULE(_core, module) {
  // What a cache of the user still holds when the interpreter ends is no leak worth a screenful of warnings.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled core of priorcase: exact search over mixed columns, counts, moments and sums over trees.";
  priorcase::bindings::bind_plan(module);
  priorcase::bindings::bind_index(module);
  priorcase::bindings::bind_codes(module);
  priorcase::bindings::bind_bayes(module);
  priorcase::bindings::bind_moments(module);
  priorcase::bindings::bind_trees(module);
  priorcase::bindings::bind_concepts(module);
  priorcase::bindings::bind_pebls(module);
  priorcase::bindings::bind_reduction(module);
  priorcase::bindings::bind_prequential(module);
  priorcase::bindings::bind_leave_one_out(module);
  priorcase::bindings::bind_local(module);
  priorcase::bindings::bind_local_classes(module);
  priorcase::bindings::bind_ridge(module);
  priorcase::bindings::bind_relevance(module);
  priorcase::bindings::bind_cases(module);
  module.def("cpu_paths", [] {
    std::vector<std::string> names;
    for (const priorcase::base::Path path : priorcase::base::available_paths())
      names.emplace_back(priorcase::base::name_of(path));
    return names;
  }, "Names of the code paths this CPU can run, slowest first.");
  module.def("cpu_path", [] { return std::string(priorcase::base::name_of(priorcase::base::path())); }, "Name of the code path in use.");
  module.def("use_cpu_path", [](const std::string& name) {
    if (!priorcase::base::use_path(name)) throw nanobind::value_error("this CPU has no such code path");
  }, nanobind::arg("name"), "Switch to another code path; the answers stay the same.");
}
