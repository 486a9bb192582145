// TF-IDF vectors of texts, and the differences between them: 1 minus the mean cosine of one or two kinds of tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory.hpp"
#include "base/numbers.hpp"

namespace priorcase::search {

// Sparse vectors, one for each text: the tokens of text i, ascending, are at starts[i] to starts[i + 1].
struct TokenVectors {
  std::vector<std::int64_t> starts{0};
  std::vector<std::uint32_t> tokens;
  std::vector<double> weights;
  std::size_t n_tokens = 0;  // size of the vocabulary

  std::size_t size() const { return starts.size() - 1; }
  std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(starts[i]); }
  std::size_t end(std::size_t i) const { return static_cast<std::size_t>(starts[i + 1]); }

  // Scales each vector to length 1, unless it has no token.
  void normalize();
};

using TextParts = std::vector<TokenVectors>;  // one for each kind of token: words, characters

// Throws std::invalid_argument unless all parts have n valid vectors.
void check_text_parts(const TextParts& parts, std::size_t n);

// The texts stored in a column, by code, and the lists of the texts that have each token. A dot product adds up its
// terms in ascending order of their tokens, so that it has the same bits whether it is computed from two vectors or
// from these lists.
class StoredTexts {
 public:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  StoredTexts(TextParts parts, std::size_t n_codes);
  StoredTexts(const StoredTexts&) = delete;
  StoredTexts& operator=(const StoredTexts&) = delete;

  // Returns the same texts, with lists of only those with the given codes.
  std::shared_ptr<StoredTexts> among(const std::vector<std::int64_t>& codes) const;

  std::size_t n_codes() const { return n_codes_; }
  std::size_t n_listed() const { return listed_.size(); }
  const TextParts& parts() const { return *parts_; }

  // Returns the position of a code among the texts with lists, or `nowhere`.
  std::uint32_t place(std::size_t code) const { return places_[code]; }

  // Prefetches what is needed to find the vectors of a text, or the vectors themselves.
  void prefetch_starts(std::size_t code) const {
    for (const TokenVectors& part : *parts_) base::prefetch(part.starts.data() + code);
  }
  void prefetch_vectors(std::size_t code) const {
    for (const TokenVectors& part : *parts_) {
      base::prefetch(part.tokens.data() + part.begin(code));
      base::prefetch(part.weights.data() + part.begin(code));
    }
  }

  // Returns the number of texts in the lists of all tokens of a vector.
  std::size_t n_postings(const TokenVectors& vectors, std::size_t i, std::size_t part) const;

  // Adds the dot products of a vector with all texts that have lists to `sums`.
  void add_products(const TokenVectors& vectors, std::size_t i, std::size_t part, double* sums) const;

 private:
  struct Postings {
    std::vector<std::uint32_t> starts;  // by token
    mutable std::vector<std::uint32_t> places;
    mutable std::vector<double> weights;
    mutable std::once_flag filled;  // the lists are filled when first read
  };

  StoredTexts(std::shared_ptr<const TextParts> parts, std::size_t n_codes, std::vector<std::int64_t> listed);
  void fill(std::size_t part) const;

  std::shared_ptr<const TextParts> parts_;
  std::size_t n_codes_;
  std::vector<std::int64_t> listed_;    // the codes of the texts with lists
  std::vector<std::uint32_t> places_;   // by code
  std::vector<Postings> postings_;      // by part
};

// The tokens of one vector as a set of bits, from which the weight of a token is found without searching.
class TokenSet {
 public:
  void set(const TokenVectors& vectors, std::size_t i);

  // Returns the dot product with another vector of the same vocabulary.
  double product(const TokenVectors& others, std::size_t j) const;

 private:
  // 64 tokens of the vocabulary: those in the set, and how many smaller tokens are.
  struct Group {
    std::uint64_t tokens = 0;
    std::size_t n_before = 0;
  };

  std::vector<Group> groups_;
  std::vector<std::uint32_t> tokens_;  // those in the set, ascending
  const double* weights_ = nullptr;    // one for each of them
};

// The differences of one text from stored texts. A few are computed one by one. Once they have cost as much as reading
// the lists of all of its tokens, the lists are read, and all differences are known.
class TextRow {
 public:
  // Compares text i of `source`, which has the same kinds of tokens as the stored texts. f is the difference raised to a
  // power.
  void start(const StoredTexts& stored, const TextParts& source, std::size_t i, base::Power power);

  // Returns f against the text with a code.
  double at(std::size_t code) {
    if (!is_complete_) {
      if (n_read_ <= budget_) return one(code);
      complete();
    }
    const std::uint32_t place = stored_->place(code);
    return place == StoredTexts::nowhere ? one(code) : f_[place];
  }

  // Computes f against all texts that have lists.
  const std::vector<double>& all() {
    if (!is_complete_) complete();
    return f_;
  }

 private:
  double one(std::size_t code);
  void complete();
  void set_budget();
  double f_of(double sum) const;

  const StoredTexts* stored_ = nullptr;
  const TextParts* source_ = nullptr;
  std::size_t i_ = 0;
  base::Power power_;
  bool is_complete_ = false, is_set_ = false;
  std::size_t n_read_ = 0, budget_ = 0;  // numbers of tokens
  std::vector<TokenSet> sets_;
  std::vector<double> f_, sums_;
};

}  // namespace priorcase::search
