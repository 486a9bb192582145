// Runs the tests named on the command line, by default all of them.
#include <cstring>

#include "check.hpp"

using priorcase::testing::Test;

int main(int count, char** names) {
  int found = 0;
  for (const Test* test = Test::first(); test; test = test->next()) {
    bool wanted = count == 1;
    for (int i = 1; i < count; ++i) wanted = wanted || std::strcmp(names[i], test->name) == 0;
    if (!wanted) continue;
    ++found;
    priorcase::testing::digest = {};
    test->run();
    const auto& digest = priorcase::testing::digest;
    std::printf("%-20s %016llx of %zu numbers\n", test->name, static_cast<unsigned long long>(digest.value()),
                digest.count());
  }
  if (found == 0 || (count > 1 && found != count - 1)) {
    std::fputs("no such test; there are:\n", stderr);
    for (const Test* test = Test::first(); test; test = test->next()) std::fprintf(stderr, "  %s\n", test->name);
    return 2;
  }
  return 0;
}
