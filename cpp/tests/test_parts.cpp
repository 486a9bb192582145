// An index made of the parts of another one finds the same rows and shares its memory until one of them changes.
// Invalid parts are refused, or searched without reading outside of them.
#include <memory>
#include <stdexcept>

#include "base/memory.hpp"
#include "check.hpp"
#include "search/index.hpp"
#include "search/store.hpp"

using namespace priorcase;
using testing::coded;

namespace {

constexpr std::size_t n_queries = 9;

// Returns an array of the same items in external memory, as in a mapped file.
template <class T>
base::Shared<T> elsewhere(const base::Shared<T>& array) {
  auto copy = std::make_shared<std::vector<T, base::SearchAllocator<T>>>(array.data(), array.data() + array.size());
  return {copy->data(), copy->size(), copy};
}

search::Parts elsewhere(search::Parts parts) {
  parts.codes = elsewhere(parts.codes);
  parts.boxes = elsewhere(parts.boxes);
  parts.symbols = elsewhere(parts.symbols);
  parts.cells = elsewhere(parts.cells);
  parts.slot_of_id = elsewhere(parts.slot_of_id);
  parts.id_of_slot = elsewhere(parts.id_of_slot);
  return parts;
}

struct Table {
  explicit Table(std::uint64_t seed, std::size_t n) : random(seed), plan(testing::mixed_plan(2.0, seed % 2 == 0)) {
    append(index, n);
    index.organise(plan, 2);
    append(index, n / 7 + 1);
    for (std::int64_t id = 3; id < next; id += 5) index.remove(id);
    queries = testing::mixed_rows(random, n_queries, true);
  }

  void append(search::Index& other, std::size_t n) {
    const std::vector<double> rows = testing::mixed_rows(random, n, false);
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < n; ++i) ids.push_back(next++);
    other.append(ids.data(), rows.data(), n);
  }

  std::vector<std::vector<search::Found>> search(search::Index& other, search::Algorithm algorithm) const {
    static const std::vector<double> weights(coded.size(), 1.0);
    static const std::vector<std::int64_t> exclude(n_queries, 4);
    search::Request request;
    request.queries = queries.data();
    request.n_queries = n_queries;
    request.weights = weights.data();
    request.exclude = exclude.data();
    request.k = 5;
    request.ties = true;
    request.algorithm = algorithm;
    return other.search(plan, request);
  }

  std::mt19937_64 random;
  search::Plan plan;
  search::Index index{coded};
  std::int64_t next = 0;
  std::vector<double> queries;
};

constexpr search::Algorithm algorithms[] = {search::Algorithm::automatic, search::Algorithm::tree,
                                            search::Algorithm::scan, search::Algorithm::plain};

void same_and_shared(std::uint64_t seed, std::size_t n) {
  Table table(seed, n);
  const auto expected = table.search(table.index, search::Algorithm::plain);
  testing::digest.add(expected);
  const search::Parts parts = table.index.parts();
  for (const bool mapped : {false, true})
    for (const std::size_t threads : {1, 3}) {
      search::Index other(coded, mapped ? elsewhere(parts) : parts, threads);
      CHECK(other.n_rows() == table.index.n_rows());
      for (const search::Algorithm algorithm : algorithms) CHECK(table.search(other, algorithm) == expected);
      if (!mapped) CHECK(other.parts().cells.data() == parts.cells.data());
      // A change of one index does not affect the other.
      const std::int64_t next = table.next;
      other.remove(1);
      CHECK(!other.has(1) && table.index.has(1));
      table.append(other, 70);
      CHECK(other.has(next) && !table.index.has(next));
      if (other.is_due()) other.organise(table.plan, 2);
      CHECK(table.search(table.index, search::Algorithm::automatic) == expected);
      table.next = next;
    }
  CHECK(table.index.parts().codes.data() == parts.codes.data());
  table.index.remove(2);
  CHECK(table.index.parts().codes.data() != parts.codes.data());  // copied, since `parts` still shares the memory
}

template <class T>
void change(std::mt19937_64& random, base::Shared<T>& array, T value) {
  if (array.size() > 0) array.writable()[random() % array.size()] = value;
}

template <class T>
void change(std::mt19937_64& random, std::vector<T>& array, T value) {
  if (!array.empty()) array[random() % array.size()] = value;
}

// Changes one number of the parts, or the size of one array.
void make_up(std::mt19937_64& random, search::Parts& parts) {
  constexpr double odd_numbers[] = {-1.0, 0.5,  1e300, -1e300, 4294967296.0, base::infinity, -base::infinity,
                                    testing::gap};
  constexpr std::int64_t odd_codes[] = {-2, -1, 0, 1, 61, 62, 63, 149, 1 << 20, std::int64_t{1} << 40,
                                        std::numeric_limits<std::int64_t>::min()};
  const double number = odd_numbers[random() % std::size(odd_numbers)];
  const std::int64_t code = odd_codes[random() % std::size(odd_codes)];
  const auto byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() % 256 : random() % 64);
  const auto id = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 2000);
  switch (random() % 18) {
    case 0: return change(random, parts.codes, byte);
    case 1: return change(random, parts.boxes, byte);
    case 2: return change(random, parts.symbols, byte);
    case 3: return change(random, parts.cells, number);
    case 4: return change(random, parts.slot_of_id, random() % 2 ? id : search::Store::nobody);
    case 5: return change(random, parts.id_of_slot, random() % 2 ? id : search::Store::nobody);
    case 6: parts.first_id = code; return;
    case 7: parts.dead = code; return;
    case 8: parts.ordered = code; return;
    case 9: return change(random, parts.wide, static_cast<std::uint8_t>(random() % 3));
    case 10: return change(random, parts.largest, code);
    case 11: return change(random, parts.n_edges, code);
    case 12: return change(random, parts.edges, number);
    case 13: return change(random, random() % 2 ? parts.lows : parts.highs, number);
    case 14: return change(random, parts.cut_attributes, id);
    case 15: return change(random, parts.cut_values, number);
    case 16: return parts.id_of_slot.resize(parts.id_of_slot.size() + (random() % 2 ? 1 : -1), 0);
    default: return parts.cells.resize(parts.cells.size() - 1);
  }
}

void made_up(std::uint64_t seed, std::size_t n, int tries) {
  Table table(seed, n);
  const search::Parts parts = table.index.parts();
  int refused = 0, taken = 0;
  for (int i = 0; i < tries; ++i) {
    search::Parts other = elsewhere(parts);
    make_up(table.random, other);
    try {
      search::Index index(coded, other, 2);
      if (!index.covers(table.plan, table.queries.data(), n_queries)) continue;
      ++taken;
      for (const search::Algorithm algorithm : algorithms)
        for (const auto& found : table.search(index, algorithm))
          for (const search::Found& one : found) CHECK(index.has(one.second));
      table.append(index, 30);
      if (index.has(6)) index.remove(6);
      index.organise(table.plan, 2);
      table.search(index, search::Algorithm::automatic);
    } catch (const std::invalid_argument&) {
      ++refused;
    } catch (const std::out_of_range&) {  // an id too far from the first one
      ++refused;
    }
  }
  CHECK(refused > tries / 5 && taken > tries / 5);
}

}  // namespace

const testing::Test registered("test_parts", [] {
  for (const std::size_t n : {20, 300, 5000}) same_and_shared(n, n);
  search::Index empty(coded);
  CHECK(search::Index(coded, empty.parts()).n_rows() == 0);
  made_up(11, 40, 400);
  made_up(12, 1500, 400);
});
