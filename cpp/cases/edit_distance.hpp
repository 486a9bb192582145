// Edit distances of one text from many: insertions, deletions and exchanges of characters (Levenshtein 1966).
//
// A column of the table of distances is kept as differences of neighbouring cells, each -1, 0 or +1, in two bits, and
// 64 of them advance together (Myers 1999, in the form of Hyyro 2003); longer texts take several words, which hand the
// difference at their border on. Distances are whole numbers, so nothing is rounded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cases/edit_lanes.hpp"
#include "base/threads.hpp"

namespace priorcase::cases {

inline constexpr std::uint32_t last_character = 0x10FFFF;

// Texts that lie one behind the other: text i is characters[offsets[i]] up to characters[offsets[i + 1]].
struct PackedTexts {
  const std::uint32_t* characters;
  const std::int64_t* offsets;
  std::size_t n;

  const std::uint32_t* text(std::size_t i) const { return characters + offsets[i]; }
  std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1] - offsets[i]); }
};

// The text that is asked about: for each of its characters the places where it stands. None is above the last one.
class EditPattern {
 public:
  EditPattern(const std::uint32_t* text, std::size_t length) : length_(length), words_((length + 63) / 64) {
    const std::size_t beyond = length ? *std::max_element(text, text + length) + std::size_t{1} : 0;
    std::vector<std::size_t> used(text, text + length);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    // With one word the places stand in the table itself; with several, there is a row of them for each character.
    table_.assign(beyond + 1, 0);
    if (words_ > 1) places_.assign((used.size() + 1) * words_, 0);
    for (std::size_t row = 0; row < used.size() && words_ > 1; ++row) table_[used[row]] = (row + 1) * words_;
    for (std::size_t i = 0; i < length; ++i) {
      std::uint64_t& word = words_ > 1 ? places_[table_[text[i]] + i / 64] : table_[text[i]];
      word |= std::uint64_t{1} << (i % 64);
    }
  }

  std::size_t words() const { return words_; }

  // Distances from texts start to stop.
  void measure(const PackedTexts& texts, std::size_t start, std::size_t stop, std::int32_t* distances) const {
    if (words_ == 1) return side_by_side(texts, start, stop, distances);
    std::vector<ColumnPart> column;
    for (std::size_t i = start; i < stop; ++i) {
      column.assign(words_, {});
      distances[i] = distance(texts.text(i), texts.length(i), column);
    }
  }

 private:
  CharacterPlaces characters() const { return {table_.data(), static_cast<std::uint32_t>(table_.size() - 1)}; }

  std::int32_t distance(const std::uint32_t* text, std::size_t length, std::vector<ColumnPart>& column) const {
    const CharacterPlaces rows = characters();
    for (std::size_t j = 0; j < length && words_ > 0; ++j) {
      const std::uint64_t* equal = places_.data() + rows.of(text[j]);
      std::uint64_t grown_above = 1, fallen_above = 0;
      for (std::size_t w = 0; w < words_; ++w) column[w].step(equal[w], grown_above, fallen_above);
    }
    auto sum = static_cast<std::int64_t>(length);
    for (std::size_t w = 0; w < words_; ++w) sum += column[w].growth(std::min<std::size_t>(64, length_ - 64 * w));
    return static_cast<std::int32_t>(sum);
  }

  // A lane that is through with its text takes the next one; the last few texts go on alone.
  void side_by_side(const PackedTexts& texts, std::size_t start, std::size_t stop, std::int32_t* distances) const {
    const auto advance = edit_advance();
    const CharacterPlaces places = characters();
    EditLanes lanes;
    std::size_t which[n_lanes], left[n_lanes], next = start;
    const auto take = [&](std::size_t l) {
      which[l] = next++;
      lanes.at[l] = texts.text(which[l]);
      left[l] = texts.length(which[l]);
      lanes.grows[l] = ~std::uint64_t{0};
      lanes.falls[l] = 0;
    };
    const auto tell = [&](std::size_t l) {
      const std::int64_t growth = ColumnPart{lanes.grows[l], lanes.falls[l]}.growth(length_);
      distances[which[l]] = static_cast<std::int32_t>(static_cast<std::int64_t>(texts.length(which[l])) + growth);
    };
    const bool enough = stop - start >= n_lanes;
    for (std::size_t l = 0; l < n_lanes && enough; ++l) take(l);
    while (next + n_lanes <= stop && enough) {
      const std::size_t steps = *std::min_element(left, left + n_lanes);
      advance(lanes, steps, places);
      for (std::size_t l = 0; l < n_lanes; ++l) {
        lanes.at[l] += steps;
        left[l] -= steps;
        if (left[l] > 0) continue;
        tell(l);
        take(l);
      }
    }
    for (std::size_t l = 0; l < n_lanes && enough; ++l) distances[which[l]] = alone(texts, which[l], places);
    for (; next < stop; ++next) distances[next] = alone(texts, next, places);
  }

  std::int32_t alone(const PackedTexts& texts, std::size_t i, const CharacterPlaces& places) const {
    ColumnPart column;
    const std::uint32_t* text = texts.text(i);
    for (std::size_t j = 0; j < texts.length(i); ++j) {
      std::uint64_t grown_above = 1, fallen_above = 0;
      column.step(places.of(text[j]), grown_above, fallen_above);
    }
    return static_cast<std::int32_t>(static_cast<std::int64_t>(texts.length(i)) + column.growth(length_));
  }

  std::size_t length_, words_;
  std::vector<std::uint64_t> table_, places_;
};

inline std::vector<std::int32_t> edit_distances(const EditPattern& asked, const PackedTexts& texts,
                                                std::size_t threads) {
  std::vector<std::int32_t> distances(texts.n);
  base::for_blocks(texts.n, 1024, threads, [&] {
    return [&](std::size_t start, std::size_t stop) { asked.measure(texts, start, stop, distances.data()); };
  });
  return distances;
}

}  // namespace priorcase::cases
