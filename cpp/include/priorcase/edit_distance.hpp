// Edit distances of one text from many: insertions, deletions and exchanges of characters (Levenshtein 1966).
//
// A column of the table of distances is kept as differences of neighbouring cells, each -1, 0 or +1, in two bits, and 64
// of them advance together (Myers 1999, in the form of Hyyro 2003); longer texts take several words, which hand the
// difference at their border on. Distances are whole numbers, so nothing is rounded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "priorcase/threads.hpp"

namespace priorcase {

inline constexpr std::uint32_t last_character = 0x10FFFF;

// The text that is asked about: for each of its characters, the places where it stands. No character above the last.
class EditPattern {
 public:
  EditPattern(const std::uint32_t* text, std::size_t length) : length_(length), words_((length + 63) / 64) {
    const std::uint32_t* highest = std::max_element(text, text + length);
    rows_.assign(length ? *highest + std::size_t{1} : 0, 0);
    places_.assign(words_, 0);
    for (std::size_t i = 0; i < length; ++i) {
      std::uint32_t& row = rows_[text[i]];
      if (row == 0) {
        row = static_cast<std::uint32_t>(places_.size() / words_);
        places_.resize(places_.size() + words_, 0);
      }
      places_[row * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  std::size_t words() const { return words_; }

  // The room is for texts of several words, and used again for the next.
  std::int32_t distance(const std::uint32_t* text, std::size_t length, std::vector<std::uint64_t>& room) const {
    if (words_ == 0) return static_cast<std::int32_t>(length);
    return words_ == 1 ? one_word(text, length) : many_words(text, length, room);
  }

 private:
  // Row 0 is of characters that do not occur.
  const std::uint64_t* places(std::uint32_t character) const {
    return places_.data() + (character < rows_.size() ? rows_[character] * words_ : 0);
  }

  std::int32_t one_word(const std::uint32_t* text, std::size_t length) const {
    const std::size_t last = length_ - 1;
    std::uint64_t up = ~std::uint64_t{0}, down = 0;
    auto distance = static_cast<std::int32_t>(length_);
    for (std::size_t j = 0; j < length; ++j) {
      const std::uint64_t equal = *places(text[j]);
      const std::uint64_t diagonal = (((equal & up) + up) ^ up) | equal | down;
      const std::uint64_t right = down | ~(diagonal | up), left = diagonal & up;
      distance += static_cast<std::int32_t>(right >> last & 1) - static_cast<std::int32_t>(left >> last & 1);
      const std::uint64_t from_above = right << 1 | 1;
      up = left << 1 | ~(diagonal | from_above);
      down = from_above & diagonal;
    }
    return distance;
  }

  std::int32_t many_words(const std::uint32_t* text, std::size_t length, std::vector<std::uint64_t>& room) const {
    const std::size_t last = (length_ - 1) % 64;
    room.assign(2 * words_, 0);
    std::uint64_t *up = room.data(), *down = up + words_;
    std::fill(up, up + words_, ~std::uint64_t{0});
    auto distance = static_cast<std::int32_t>(length_);
    for (std::size_t j = 0; j < length; ++j) {
      const std::uint64_t* equal = places(text[j]);
      std::uint64_t right = 0, left = 0, right_above = 1, left_above = 0;
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t match = equal[w] | left_above;
        const std::uint64_t diagonal = (((match & up[w]) + up[w]) ^ up[w]) | match | down[w];
        right = down[w] | ~(diagonal | up[w]);
        left = diagonal & up[w];
        const std::uint64_t from_above = right << 1 | right_above;
        up[w] = (left << 1 | left_above) | ~(diagonal | from_above);
        down[w] = from_above & diagonal;
        right_above = right >> 63;
        left_above = left >> 63;
      }
      distance += static_cast<std::int32_t>(right >> last & 1) - static_cast<std::int32_t>(left >> last & 1);
    }
    return distance;
  }

  std::size_t length_, words_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint64_t> places_;
};

// Distances from texts that lie one behind the other: text i is characters[offsets[i]] up to characters[offsets[i + 1]].
inline std::vector<std::int32_t> edit_distances(const EditPattern& asked, const std::uint32_t* characters,
                                                const std::int64_t* offsets, std::size_t n, std::size_t threads) {
  std::vector<std::int32_t> distances(n);
  for_blocks(n, 512, threads, [&] {
    return [&, room = std::vector<std::uint64_t>()](std::size_t start, std::size_t stop) mutable {
      for (std::size_t i = start; i < stop; ++i)
        distances[i] = asked.distance(characters + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]), room);
    };
  });
  return distances;
}

}  // namespace priorcase
