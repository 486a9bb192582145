// Decisions from probabilities: the class with the lowest expected cost, or a class whose probability reaches a threshold.

import { number, percent } from "./dom.js";

/** Return the decision and the reason as text; null if there is no decision rule. */
export function decided(probabilities, decision) {
  if (!decision || !decision.classes.every((label) => label in probabilities)) return null;
  if (decision.costs) {
    const expected = decision.classes.map((_, j) => decision.classes.reduce((sum, label, i) => sum + probabilities[label] * decision.costs[i][j], 0));
    const best = expected.indexOf(Math.min(...expected));
    return { label: decision.classes[best], why: `lowest expected cost: ${number(expected[best], 3)}` };
  }
  const { positive, threshold } = decision;
  const isPositive = probabilities[positive] >= threshold - 1e-9;
  const label = isPositive ? positive : decision.classes.find((one) => one !== positive);
  return { label, why: `${positive} if its probability is ${percent(threshold)} or more` };
}
