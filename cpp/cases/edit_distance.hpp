// Edit distances of one text from many: insertions, deletions and substitutions of characters (Levenshtein 1966).
//
// The dynamic programming table is computed column by column. A column is stored as differences of adjacent cells, each
// -1, 0 or +1, in two bits, and 64 of them are updated together (Myers 1999, in the form of Hyyro 2003); longer texts
// take several words, each of which passes the difference at its lower border to the next. Distances are integers, so
// nothing is rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorcase::cases {

inline constexpr std::uint32_t last_character = 0x10FFFF;

// Texts in order of length, interleaved in batches of sixteen, as symbols: the indices of characters in the alphabet.
class PackedTexts {
 public:
  // Text i is characters[offsets[i]] up to characters[offsets[i + 1]], fewer than 2^31 characters, none above
  // last_character.
  PackedTexts(const std::uint32_t* characters, const std::int64_t* offsets, std::size_t n);

  // Sixteen texts, or fewer at the end. Symbol j of text l is symbols[16 j + l]; shorter texts are padded with
  // alphabet().size(), a symbol that occurs in no text.
  struct Batch {
    const std::uint32_t* symbols;
    const std::uint32_t* texts;
    const std::uint32_t* lengths;
    std::size_t n;
  };

  std::size_t size() const { return order_.size(); }
  std::size_t n_symbols() const { return symbols_.size(); }
  std::size_t n_batches() const { return starts_.size(); }
  Batch batch(std::size_t b) const;

  // The characters that occur in the texts, ascending.
  const std::vector<std::uint32_t>& alphabet() const { return alphabet_; }

 private:
  std::vector<std::uint32_t> alphabet_, order_, lengths_, symbols_;
  std::vector<std::size_t> starts_;  // where the symbols of each batch start
};

// Returns the distance of each text from `asked`.
std::vector<std::int32_t> edit_distances(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                         std::size_t threads);

// Returns, for each text, 1 - distance / length of the longer of the two texts; 1 if both are empty.
std::vector<double> edit_similarities(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                      std::size_t threads);

}  // namespace priorcase::cases
