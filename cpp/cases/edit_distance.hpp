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

// Texts in order of their lengths, sixteen side by side, as symbols: the places of their characters in the alphabet.
class PackedTexts {
 public:
  // Text i is characters[offsets[i]] up to characters[offsets[i + 1]], of less than 2^31 characters, none above
  // the last one.
  PackedTexts(const std::uint32_t* characters, const std::int64_t* offsets, std::size_t n);

  // Sixteen texts, or fewer at the end: symbol j of text l is symbols[16 j + l]; texts that have ended go on with one
  // that no text has, `alphabet().size()`.
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

  // The characters of all texts, ascending.
  const std::vector<std::uint32_t>& alphabet() const { return alphabet_; }

 private:
  std::vector<std::uint32_t> alphabet_, order_, lengths_, symbols_;
  std::vector<std::size_t> starts_;  // of the symbols of each batch
};

// The distance of each text from the one asked about.
std::vector<std::int32_t> edit_distances(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                         std::size_t threads);

// 1 - distance / length of the longer text, for each text; 1 for two empty ones.
std::vector<double> edit_similarities(const std::uint32_t* asked, std::size_t length, const PackedTexts& texts,
                                      std::size_t threads);

}  // namespace priorcase::cases
