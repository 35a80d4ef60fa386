/**
 * An extractive summary: the sentences of a section that hold most of its frequent words. No model, no network, and the
 * same text always gives the same summary.
 *
 * @module
 */
import { eng } from "stopword";

interface Term {
  readonly word: string;
  readonly count: number;
}

export interface Summary {
  /** The best ones, in the order of the text. */
  readonly sentences: string[];
  /** The most frequent words, best first. */
  readonly terms: Term[];
}

const maxSentences = 2;
const maxTerms = 12;
const maxSentenceLength = 280;

/** Words that say as little as those of the list. */
const stopwords = new Set([...eng, "cannot", "does", "its", "need", "new", "not", "one", "says", "two"]);
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

export function summarise(text: string): Summary {
  const terms = countWords(wordsOf(text));
  const ranked = sentencesOf(text)
    .map((sentence, index) => ({ sentence, index, score: scoreOf(sentence, terms) }))
    .sort((one, other) => other.score - one.score || one.index - other.index);
  const best = ranked.slice(0, maxSentences).sort((one, other) => one.index - other.index);
  return { sentences: best.map(({ sentence }) => shorten(sentence)), terms: mostFrequent(terms) };
}

function sentencesOf(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => [...sentences.segment(line)].map(({ segment }) => segment.trim()))
    .filter(Boolean);
}

/** Lower-case words of three letters and more that say something. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}[\p{L}'’-]+\p{L}/gu) ?? [];
  return words.filter((word) => !stopwords.has(word));
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Long sentences hold more words: the root takes the advantage from them, not the merit. */
function scoreOf(sentence: string, terms: ReadonlyMap<string, number>): number {
  const words = new Set(wordsOf(sentence));
  let total = 0;
  for (const word of words) total += terms.get(word) ?? 0;
  return words.size === 0 ? 0 : total / Math.sqrt(words.size);
}

function mostFrequent(terms: ReadonlyMap<string, number>): Term[] {
  return [...terms]
    .map(([word, count]) => ({ word, count }))
    .sort((one, other) => other.count - one.count || (one.word < other.word ? -1 : 1))
    .slice(0, maxTerms);
}

function shorten(sentence: string): string {
  if (sentence.length <= maxSentenceLength) return sentence;
  return `${sentence.slice(0, sentence.lastIndexOf(" ", maxSentenceLength))} …`;
}
