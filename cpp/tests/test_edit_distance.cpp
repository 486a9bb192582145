// Edit distances equal those of the full dynamic programming table, below and above 64 characters. Dot products of
// postings.
#include "cases/edit_distance.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/cpu.hpp"
#include "check.hpp"
#include "cases/similarity.hpp"

using namespace priorcase;

namespace {

using Text = std::vector<std::uint32_t>;

std::int32_t cell_by_cell(const Text& a, const Text& b) {
  std::vector<std::int32_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<std::int32_t>(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int32_t corner = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int32_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, corner + (a[i] != b[j])});
      corner = above;
    }
  }
  return row[b.size()];
}

Text text_of(std::mt19937_64& random, std::size_t length) {
  const std::uint32_t letters[] = {'a', 'b', 'c', 0x6F22, 0x10FFFF};
  Text text(length);
  for (std::uint32_t& letter : text) letter = letters[random() % 5];
  return text;
}

void test_distances() {
  std::mt19937_64 random(5);
  const std::size_t lengths[] = {0, 1, 2, 31, 63, 64, 65, 100, 127, 128, 129, 192, 300};
  for (const std::size_t asked_length : lengths) {
    const Text asked = text_of(random, asked_length);
    std::vector<Text> texts{asked};
    for (const std::size_t length : lengths) texts.push_back(text_of(random, length));
    for (int i = 0; i < 700; ++i) texts.push_back(text_of(random, random() % 12));
    Text characters;
    std::vector<std::int64_t> offsets{0};
    for (const Text& text : texts) {
      characters.insert(characters.end(), text.begin(), text.end());
      offsets.push_back(static_cast<std::int64_t>(characters.size()));
    }
    const cases::PackedTexts packed(characters.data(), offsets.data(), texts.size());
    const auto one = cases::edit_distances(asked.data(), asked.size(), packed, 1);
    CHECK(one == cases::edit_distances(asked.data(), asked.size(), packed, 3));
    const auto similar = cases::edit_similarities(asked.data(), asked.size(), packed, 1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      CHECK(one[i] == cell_by_cell(asked, texts[i]));
      const auto longer = static_cast<double>(std::max(asked.size(), texts[i].size()));
      CHECK(similar[i] == (longer == 0.0 ? 1.0 : 1.0 - one[i] / longer));
    }
  }
}

void test_nothing() {
  const std::int64_t none[] = {0};
  CHECK(cases::edit_distances(nullptr, 0, cases::PackedTexts(nullptr, none, 0), 2).empty());
}

void test_postings() {
  const std::int64_t terms[] = {2, 0, 1};
  const std::int32_t holders[] = {0, 2, 2};
  const double weights[] = {0.5, 0.25, 4.0}, term_weights[] = {1.0, 2.0, 8.0};
  const cases::Postings weighted({0, 2, 2, 3}, holders, weights, 3), counted({0, 2, 2, 3}, holders, nullptr, 3);
  CHECK((weighted.products(terms, term_weights, 3) == std::vector<double>{1.0, 0.0, 4.5}));
  CHECK((counted.products(terms, term_weights, 3) == std::vector<double>{2.0, 0.0, 3.0}));
  bool refused = false;
  try {
    cases::Postings({0, 2, 2, 3}, holders, weights, 2).products(terms, term_weights, 3);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace

const testing::Test registered("test_edit_distance", [] {
  for (const base::Path path : base::available_paths()) {
    CHECK(base::use_path(base::name_of(path)));
    test_distances();
  }
  test_nothing();
  test_postings();
});
