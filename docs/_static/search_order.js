// Search results: pages whose title has all words of the query, then guides, then the rest, and last entries of the
// reference. `splitQuery`, `Stemmer` and `stopwords` and the weights are those of Sphinx.
var Scorer = (() => {
  const words = (text) => {
    const stemmer = new Stemmer();
    const kept = splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word));
    return kept.map((word) => stemmer.stemWord(word));
  };
  const hasAll = (title, query) => {
    const found = words(`${title} ${title.replace(/([a-z])([A-Z])/g, "$1 $2")}`); // NaiveBayes is also naive Bayes
    return query.length > 0 && query.every((word) => found.includes(word));
  };
  return {
    score: ([docname, title, anchor, description, score]) => {
      const query = words(new URLSearchParams(window.location.search).get("q") || "");
      const guide = /^(get_started|guide|how_to)\//.test(docname);
      if (!description && hasAll(title.split(" > ")[0], query)) return score + (guide ? 25 : 10);
      if (docname.startsWith("reference/api/")) return score - 10;
      const points = guide ? score + 5 : score - 5;
      return hasAll(title, query) ? points + 8 : points;
    },
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: { 0: 15, 1: 5, 2: -5 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
  };
})();
