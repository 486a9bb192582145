// Search results: pages that explain before entries of the reference. The weights are those of Sphinx.
var Scorer = {
  score: ([docname, title, anchor, description, score]) => (docname.startsWith("reference/api/") ? score - 10 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
