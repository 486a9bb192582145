// Edit distances of one text from many: insertions, deletions and exchanges of characters (Levenshtein 1966).
//
// A column of the table of distances is kept as differences of neighbouring cells, each -1, 0 or +1, in two bits, and
// 64 of them advance together (Myers 1999, in the form of Hyyro 2003); longer texts take several words, which hand the
// difference at their border on. Distances are whole numbers, so nothing is rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::cases {

inline constexpr std::uint32_t last_character = 0x10FFFF;

// Texts that lie one behind the other: text i is characters[offsets[i]] up to characters[offsets[i + 1]]. The
// characters must live as long as this. No text is longer than 2^31 - 1.
class PackedTexts {
 public:
  PackedTexts(const std::uint32_t* characters, std::vector<std::int64_t> offsets);

  std::size_t size() const { return order_.size(); }
  const std::uint32_t* text(std::size_t i) const { return characters_ + offsets_[i]; }
  std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]); }

  // Texts are measured in blocks, each in the order of their lengths, so that texts side by side end together.
  static constexpr std::size_t block = 1024;
  const std::uint32_t* order() const { return order_.data(); }

 private:
  const std::uint32_t* characters_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> order_;
};

// The distance of each text from the one asked about, whose characters are at most the last one.
std::vector<std::int32_t> edit_distances(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                         std::size_t threads);

// 1 - distance / length of the longer text, for each text; 1 for two empty ones.
std::vector<double> edit_similarities(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                      std::size_t threads);

}  // namespace priorcase::cases
