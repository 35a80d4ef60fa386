/** A text from outside costs no pattern more than its length. */
import { describe, expect, it } from "vitest";
import { sourcePatterns } from "./support/source-patterns.js";

/** Patterns that meet only texts of a bounded length, by place without its line, with what bounds them. */
const bounded: Readonly<Record<string, string>> = {
  "cli/src/code/load-error.ts": "the stack of the developer's own code, and what Node and esbuild print about it",
  "client/src/http/open-transport.ts": "the address of the server, which is an option",
  "studio/src/ui/format.ts": "the digits of a number",
};

/** Files that make patterns from texts, with the reason why those are linear, or may be what they are. */
const makers: Readonly<Record<string, string>> = {
  "cli/src/code/line-of-finding.ts": "it reads files of the project that this command executes, and nothing else",
  "cli/src/code/load-code.ts": "it is one word, looked for in such a file",
  "client/src/run-file/run-file-fetch.ts":
    "it makes them of paths of the same file, and what stands for a name ends at the next slash",
  "core/src/event/moments.ts": "it is the pattern of the developer's own schema, which checks the same text with it",
  "server/src/wire/names.ts": "it is a literal of the same file with one more literal word in front",
};

const { literals, makers: found } = sourcePatterns();
const length = 4_000;
/** Each is little longer than the one before, so the first that takes long ends soon even where cost doubles with a letter. */
const shortSizes = [...Array.from({ length: 20 }, (_, index) => 16 + index), 40, 48, 64, 100, 500];

describe("every regular expression in the source of the packages", () => {
  const checked = literals.filter(({ place }) => !Object.hasOwn(bounded, place.replace(/:\d+$/, "")));

  it.each(checked.map((one) => [one.place, one] as const))("reads a long text once: %s", (_place, { pattern }) => {
    for (const text of hostileTexts(pattern)) {
      expect(growth(pattern, text), `${pattern} on ${JSON.stringify(text(12))}`).toBeLessThan(3);
    }
  });

  it("is a literal, or is made in a file whose patterns are known to be linear", () => {
    expect(found).toEqual(Object.keys(makers).sort());
  });
});

describe("the measure", () => {
  it.each([/\s+$/, /a*b*a*c/, /(?:x|y)+z/, /^(?:a+)+$/, /\d+(?=;)/])(
    "finds that %s reads a text more than once",
    (pattern) => {
      expect(hostileTexts(pattern).some((text) => growth(pattern, text) > 3)).toBe(true);
    },
  );
});

type TextOf = (length: number) => string;

/** Texts of one repeated unit each, between a beginning and an end that may not match. */
function hostileTexts(pattern: RegExp): TextOf[] {
  const letters = lettersOf(pattern.source);
  const pairs = letters.flatMap((one) => letters.map((other) => one + other));
  const words = [...pattern.source.matchAll(/[A-Za-z][A-Za-z-]+/g)].map(([word]) => word);
  const units = [...new Set([...letters, ...pairs, ...words, ...triples(letters)])];
  return units.flatMap((unit) =>
    [...new Set(["", letters[0] as string])].flatMap((begin) =>
      ["", "\u0000"].map((end) => (size: number) => begin + unit.repeat(Math.ceil(size / unit.length)) + end),
    ),
  );
}

const mostLetters = 8;
const classes: readonly (readonly [RegExp, string])[] = [
  [/\\s/, " \n"],
  [/\\d|0-9/, "1"],
  [/\\w|\\p|A-Z|a-z|\.|\[\^/, "aé"],
  [/\\n|\\r/, "\n"],
  [/\\t/, "\t"],
];

/** One character for each class of the pattern, and those that it names. */
function lettersOf(source: string): string[] {
  const ofClasses = classes.flatMap(([named, letters]) => (named.test(source) ? [...letters] : []));
  const plain = source.replace(/\\[spPdwbBDSWntrkux](?:\{[^}]*\})?/g, "").replace(/\\(.)/g, "$1");
  const own = [...plain].filter((letter) => !/[()?*+|^$[\]{}]/.test(letter) || source.includes(`\\${letter}`));
  return [...new Set([...ofClasses, ...own, "a"])].slice(0, mostLetters);
}

/** Some units of three letters: the same ones for the same letters. */
function triples(letters: readonly string[]): string[] {
  return letters.map(
    (letter, index) => letter + letters[(index + 1) % letters.length] + letters[(index + 2) % letters.length],
  );
}

/** What twice the length costs, as a multiple; 1 where a long text costs nothing that could be measured. */
function growth(pattern: RegExp, text: TextOf): number {
  // An exponential pattern would not come to an end with a long text.
  for (const size of shortSizes)
    if (costMs(pattern, text(size)) > 15 && least(pattern, text(size)) > 10) return Number.POSITIVE_INFINITY;
  const [one, two] = [text(length), text(2 * length)];
  if (costMs(pattern, one) < 3) return 1;
  // Caches that other programs empty make a reading longer and never shorter: more readings of both come nearer to the truth.
  const rounds = Math.min(8, 300 / least(pattern, one));
  let [onceMs, twiceMs] = [least(pattern, one), least(pattern, two)];
  for (let round = 1; round < rounds && twiceMs / onceMs > 2.5; round++)
    [onceMs, twiceMs] = [Math.min(onceMs, least(pattern, one)), Math.min(twiceMs, least(pattern, two))];
  return onceMs < 2 ? 1 : twiceMs / onceMs;
}

function least(pattern: RegExp, text: string): number {
  return Math.min(costMs(pattern, text), costMs(pattern, text), costMs(pattern, text));
}

/** Processor time: a reading that other programs interrupt takes no more of it. */
function costMs(pattern: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  if (pattern.global) text.replace(pattern, "");
  else {
    pattern.lastIndex = 0;
    pattern.exec(text);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
