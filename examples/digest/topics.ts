/**
 * Sorts sections into topics, each named by a word that its sections share.
 *
 * @module
 */
import type { SectionDigest, Topic } from "./events.js";

const maxTopics = 8;
/** A word that more than half of the sections share names no topic. */
const maxShare = 0.5;

/** The largest first; what fits nowhere is `other`, at the end. Every section is in one topic. */
export function topicsOf(sections: readonly SectionDigest[]): Topic[] {
  const bySection = sections.map((section) => ({ section, words: new Set(section.terms.map(({ word }) => word)) }));
  const plurals = foldPlurals(bySection.flatMap(({ words }) => [...words]));
  let rest = bySection.map(({ section, words }) => ({
    section,
    words: new Set([...words].map((word) => plurals.get(word) ?? word)),
  }));

  const topics: Topic[] = [];
  while (topics.length < maxTopics) {
    const name = widestWord(
      rest.map(({ words }) => words),
      Math.max(2, sections.length * maxShare),
    );
    if (name === null) break;
    topics.push({ name, sections: rest.filter(({ words }) => words.has(name)).map(({ section }) => section) });
    rest = rest.filter(({ words }) => !words.has(name));
  }
  if (rest.length > 0) topics.push({ name: "other", sections: rest.map(({ section }) => section) });
  return topics;
}

/** The word that most sections share: two at least, `limit` at most. Of equals, the first in the alphabet. */
function widestWord(all: readonly ReadonlySet<string>[], limit: number): string | null {
  const counts = new Map<string, number>();
  for (const words of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let widest: string | null = null;
  let width = 1;
  for (const [word, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (count > width && count <= limit) [widest, width] = [word, count];
  }
  return widest;
}

/** `snapshots` counts as `snapshot` where both occur. */
function foldPlurals(words: readonly string[]): Map<string, string> {
  const known = new Set(words);
  return new Map(
    [...known]
      .filter((word) => word.endsWith("s") && known.has(word.slice(0, -1)))
      .map((word) => [word, word.slice(0, -1)]),
  );
}
