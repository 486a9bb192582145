// What to decide by probabilities: the cheapest class where costs are given, or one class above a threshold.

import { number, percent } from "./dom.js";

/** The decision and why, in words; null if the most probable class is predicted. */
export function decided(probabilities, decision) {
  if (!decision || !decision.classes.every((label) => label in probabilities)) return null;
  if (decision.costs) {
    const expected = decision.classes.map((_, j) => decision.classes.reduce((sum, label, i) => sum + probabilities[label] * decision.costs[i][j], 0));
    const best = expected.indexOf(Math.min(...expected));
    return { label: decision.classes[best], why: `least expected cost: ${number(expected[best], 3)}` };
  }
  const { positive, threshold } = decision;
  const isPositive = probabilities[positive] >= threshold - 1e-9;
  const label = isPositive ? positive : decision.classes.find((one) => one !== positive);
  return { label, why: `${positive} if its probability is ${percent(threshold)} or more` };
}
