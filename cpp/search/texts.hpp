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
  std::vector<std::uint32_t, base::SearchAllocator<std::uint32_t>> tokens;
  base::Cells weights;
  std::size_t n_tokens = 0;     // size of the vocabulary
  std::vector<double> lengths;  // before they were scaled; empty if they were not

  std::size_t size() const { return starts.size() - 1; }
  std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(starts[i]); }
  std::size_t end(std::size_t i) const { return static_cast<std::size_t>(starts[i + 1]); }

  // Scales each vector to length 1, unless it has no token.
  void normalize();
};

using TextParts = std::vector<TokenVectors>;  // one for each kind of token: words, characters

// Throws std::invalid_argument unless all parts have n valid vectors.
void check_text_parts(const TextParts& parts, std::size_t n);

// The words from which the tokens of texts are made. There are far fewer words in a text than sequences of characters,
// so that an upper bound of a cosine is computed much faster from words than the cosine itself from such tokens.
//
// If a text has a token c times, its weight is (1 + log c) idf / length <= c idf / length. A cosine is thus at most the
// sum of the scores of the text's words divided by its length, where the score of a word is the dot product of the
// query with the word's tokens, each as often as it occurs times its idf.
class TextWords {
 public:
  // The words of text i, as often as it has them, are at starts[i] to starts[i + 1]; `tokens` has a vector for each
  // word, with numbers of occurrences times idf; `lengths` has the length of each text's vector.
  TextWords(std::vector<std::int64_t> starts, std::vector<std::uint32_t> words, const TokenVectors& tokens,
            const std::vector<double>& lengths);

  // Computes the score of each word for a vector.
  void score(const TokenVectors& vectors, std::size_t i, std::vector<double>& scores) const;

  // Returns an upper bound of the dot product with text j.
  double at_most(const std::vector<double>& scores, std::size_t j) const {
    double sum = 0.0;
    for (std::size_t at = begin(j); at < begin(j + 1); ++at) sum += scores[words_[at]];
    return sum * factors_[j];
  }

  std::size_t n_words(std::size_t j) const { return begin(j + 1) - begin(j); }

  void prefetch_starts(std::size_t j) const {
    base::prefetch(starts_.data() + j);
    base::prefetch(factors_.data() + j);
  }
  void prefetch_words(std::size_t j) const { base::prefetch(words_.data() + begin(j)); }

 private:
  std::size_t begin(std::size_t j) const { return static_cast<std::size_t>(starts_[j]); }

  std::vector<std::int64_t> starts_;
  std::vector<std::uint32_t> words_;
  std::vector<double> factors_;  // by text: 1 / length, slightly increased
  std::size_t n_words_;

  // The words that have each token.
  struct Entry {
    std::uint32_t word;
    double weight;
  };
  std::vector<std::size_t> token_starts_;
  std::vector<Entry> entries_;
};

using WordParts = std::vector<std::shared_ptr<const TextWords>>;  // one for each kind of token; null: no bounds

// The texts stored in a column, by code, and the lists of the texts that have each token. A dot product adds up its
// terms in ascending order of their tokens, so that it has the same bits whether it is computed from two vectors or
// from these lists.
class StoredTexts {
 public:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  StoredTexts(TextParts parts, std::size_t n_codes, WordParts words);
  StoredTexts(const StoredTexts&) = delete;
  StoredTexts& operator=(const StoredTexts&) = delete;

  // Returns the same texts, with lists of only those with the given codes.
  std::shared_ptr<StoredTexts> among(const std::vector<std::int64_t>& codes) const;

  std::size_t n_codes() const { return n_codes_; }
  std::size_t n_listed() const { return listed_.size(); }
  const TextParts& parts() const { return *parts_; }
  const WordParts& words() const { return words_; }

  // Returns the position of a code among the texts with lists, or `nowhere`.
  std::uint32_t place(std::size_t code) const { return places_[code]; }

  // Whether a lower bound of a difference is computed faster than the difference.
  bool has_bounds() const { return has_bounds_; }

  // Prefetches what is needed to find the vectors and words of a text, the words or short vectors, and the vectors.
  void prefetch_starts(std::size_t code) const {
    for (std::size_t p = 0; p < parts_->size(); ++p) {
      base::prefetch((*parts_)[p].starts.data() + code);
      if (words_[p]) words_[p]->prefetch_starts(code);
    }
  }
  void prefetch_words(std::size_t code) const {
    for (std::size_t p = 0; p < parts_->size(); ++p)
      words_[p] ? words_[p]->prefetch_words(code) : prefetch_vector((*parts_)[p], code);
  }
  void prefetch_vectors(std::size_t code) const {
    for (const TokenVectors& part : *parts_) prefetch_vector(part, code);
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

  StoredTexts(std::shared_ptr<const TextParts> parts, std::size_t n_codes, WordParts words,
              std::vector<std::int64_t> listed);

  static void prefetch_vector(const TokenVectors& part, std::size_t code) {
    base::prefetch_all(part.tokens.data() + part.begin(code), part.tokens.data() + part.end(code));
    base::prefetch_all(part.weights.data() + part.begin(code), part.weights.data() + part.end(code));
  }
  void fill(std::size_t part) const;

  std::shared_ptr<const TextParts> parts_;
  WordParts words_;
  bool has_bounds_;
  std::size_t n_codes_;
  std::vector<std::int64_t> listed_;    // the codes of the texts with lists
  std::vector<std::uint32_t> places_;   // by code
  std::vector<Postings> postings_;      // by part
};

// The weights of one vector's tokens, and 0 for all other tokens of the vocabulary, in blocks of 64 tokens. All blocks
// without a token of the vector are the same.
class TokenWeights {
 public:
  void set(const TokenVectors& vectors, std::size_t i);

  // Returns the dot product with another vector of the same vocabulary. Tokens that are not common add 0, which is
  // faster than telling them apart.
  double product(const TokenVectors& others, std::size_t j) const {
    double sum = 0.0;
    for (std::size_t at = others.begin(j); at < others.end(j); ++at)
      sum += weights_[place(others.tokens[at])] * others.weights[at];
    return sum;
  }

 private:
  static constexpr std::size_t width = 64;

  std::size_t place(std::uint32_t token) const { return blocks_[token / width] * width + token % width; }

  std::vector<std::uint32_t> blocks_;  // by token / width; 0: the block of zeros
  std::vector<double> weights_;
  std::vector<std::uint32_t> tokens_;  // those of the vector
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

  // Returns a lower bound of f against the text with a code, if the stored texts have bounds.
  double at_least(std::size_t code);

  // Computes f against all texts that have lists.
  const std::vector<double>& all() {
    if (!is_complete_) complete();
    return f_;
  }

 private:
  double one(std::size_t code);
  void complete();
  void set();
  double f_of(double sum) const;

  const StoredTexts* stored_ = nullptr;
  const TextParts* source_ = nullptr;
  std::size_t i_ = 0;
  base::Power power_;
  bool is_complete_ = false, is_set_ = false, is_scored_ = false;
  std::size_t n_read_ = 0, budget_ = 0;  // numbers of tokens
  std::vector<TokenWeights> weights_;
  std::vector<std::vector<double>> scores_;  // of words, by part
  std::vector<double> f_, sums_;
};

}  // namespace priorcase::search
