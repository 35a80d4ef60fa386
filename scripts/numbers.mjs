/**
 * The page of numbers is made from `docs/numbers.json`, which repeats what the pages of the benches say:
 *
 *     node scripts/numbers.mjs     writes docs/numbers.md
 *
 * A group has the page on which its numbers stand, the command, the machine, and the day on which they were recorded. `is` completes a
 * ratio: Millrace is 1.81 × "as fast". A number without a ratio gets the quotient of the two values.
 */
import { writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { read } from "./gates/gate.mjs";
import { root } from "./setup/console.mjs";

const page = "docs/numbers.md";
export const numbersOf = () => JSON.parse(read("docs/numbers.json"));

/** What is wrong with the groups, with the page that is made from them, or with what they say of other pages. */
export function numberProblems(groups) {
  const wrong = groups.flatMap((group) => group.numbers.flatMap((number) => problemsOf(group, number)));
  if (read(page) !== numbersPage(groups))
    wrong.push("it is not what docs/numbers.json says: `node scripts/numbers.mjs`");
  return [...wrong.map((problem) => `${page}: ${problem}`), ...notAmong(groups, "docs/choosing.md")];
}

/** What a page says of measurements is among the numbers. */
function notAmong(groups, other) {
  const known = groups.flatMap(({ numbers }) =>
    numbers.flatMap(({ value, beside = [] }) => [value, ...beside.map((one) => one.value)]),
  );
  const quoted = [...read(other).matchAll(/(\d[\d.,]*) (?:µs|ms|kB|a second)\b/g)].map(([, number]) => number);
  return quoted
    .filter((number) => !known.includes(number))
    .map((number) => `${other}: docs/numbers.json has no ${number}`);
}

function problemsOf(group, number) {
  const { source, recorded } = { ...group, ...number };
  const { value, missed, aim, beside = [] } = number;
  const text = read(source);
  const lines = linesWith(text, [value, ...beside.flatMap(({ ratio = [] }) => ratio)]);
  const away = beside.filter((one) => one.value && linesWith(text, [one.value]).length === 0);
  const isRow = (line) => text.includes("✗") && line.startsWith("|");
  const problems = [
    lines.length === 0 && `${source} has no line with it and its ratios`,
    ...away.map((one) => `${source} has no ${one.value}`),
    lines.some(isRow) &&
      !lines.some((line) => isRow(line) && line.includes("✗") === missed) &&
      `\`missed\` is not what ${source} says`,
    aim !== undefined && isMissed(number) === !missed && `\`missed\` is not what the aim ${aim} says`,
    !/^\d{4}-\d\d-\d\d$/.test(recorded) && `${recorded} is no day`,
  ];
  return problems.filter(Boolean).map((problem) => `${group.title}: ${number.what}: ${value}: ${problem}`);
}

/** The lines of a page in which all of these numbers stand. */
export function linesWith(text, numbers) {
  const patterns = numbers.map((number) => new RegExp(`(?<![\\d.,])${number.replaceAll(".", "\\.")}(?!\\d|[.,]\\d)`));
  return text.split("\n").filter((line) => patterns.every((pattern) => pattern.test(line)));
}

/** `null` where the aim is in words. */
function isMissed({ value, unit, aim, beside = [] }) {
  const [, sign, limit, times] = /^([≤≥]) ([\d.,]+)(×?)$/.exec(aim) ?? [];
  if (sign === undefined) return null;
  const is = numberOf(times && unit !== "×" ? beside[0].ratio : value);
  return sign === "≤" ? is > numberOf(limit) : is < numberOf(limit);
}

const numberOf = (text) => Number.parseFloat(text.replaceAll(",", ""));

export function numbersPage(groups) {
  const all = groups.flatMap(({ numbers }) => numbers);
  const missed = all.filter((number) => number.missed);
  const aims = all.filter(({ aim }) => aim !== undefined);
  return `# Numbers

What was measured, next to other software where there is something to compare with. Machines differ, and most of these had two cores: compare the ratios, not the times. Nothing here is of production.

An aim is what the bench asks for. ${missed.length} of ${aims.length} aims are missed: ✗. The page of each bench says why. A ratio is Millrace by what stands beside it: 1.8 × as fast, 1.8 × as long.

This page is made from [numbers.json](numbers.json), which a check compares with the pages of the benches. The day is that on which a number was recorded.

${groups.map(section).join("\n\n")}
`;
}

function section(group) {
  const names = [...new Set(group.numbers.flatMap(({ beside = [] }) => beside.map(({ name }) => name)))];
  const isTable = names.length === 3 && names.every((name) => rowsWith(group, name) > 1);
  const hasAims = group.numbers.some(({ aim }) => aim !== undefined);
  const columns = [
    ["what", ({ what, recorded }) => (recorded ? `${what} (${recorded})` : what)],
    ["Millrace", ({ value, unit, missed }) => [value, unit, ...(missed ? ["✗"] : [])].join(" ")],
    ...(hasAims ? [["aim", ({ aim = "" }) => aim.replace(/(?<=\d)×/, " ×")]] : []),
    ...(isTable ? names.map((name) => [name, (number) => besideOf(number, group, name)]) : []),
    ...(!isTable && names.length > 0 ? [["beside it", (number) => besideOf(number, group)]] : []),
  ];
  const rows = group.numbers.map((number) => `| ${columns.map(([, cell]) => held(cell(number))).join(" | ")} |`);
  const link = posix.relative("docs", group.source);
  const brackets = isTable ? ` In brackets: how many times ${group.is} Millrace is.` : "";
  return `## ${group.title}

${group.about}${brackets} Recorded on ${group.recorded} with ${group.machine}, by \`${group.command}\`: [source](${link}).

| ${columns.map(([name]) => name).join(" | ")} |
| ${columns.map(() => "---").join(" | ")} |
${rows.join("\n")}`;
}

/** A number stays on one line with its sign and its unit. */
const held = (cell) =>
  cell.replace(/(?<=[≤≥]) (?=\d)|(?<=\d) (?=[×✗]|µs|ms|s\b|kB|bytes|\w+\/s)|(?<=µs|ms|kB|×|\/s) (?=✗)/g, "\u00a0");

const rowsWith = ({ numbers }, wanted) =>
  numbers.filter(({ beside = [] }) => beside.some(({ name }) => name === wanted)).length;

/** What stands beside a number, of one name or with all names. */
function besideOf(number, group, only) {
  const all = (number.beside ?? []).filter(({ name }) => only === undefined || name === only);
  return all
    .map(({ name, value, ratio = quotient(number.value, value), is = group.is }) => {
      const times = ratio === null ? "" : `${timesOf(ratio)}${only === undefined ? ` ${is}` : ""}`;
      const said = value === undefined ? times : [value, ...(times ? [`(${times})`] : [])].join(" ");
      return only === undefined ? `${name}: ${said}` : said;
    })
    .join("; ");
}

/** "1.81×" as "1.81 ×"; "1 / 5.4" stays. */
const timesOf = (ratio) => (ratio.includes("/") ? ratio : `${ratio.replace(/ ?×$/, "")} ×`);

function quotient(value, other) {
  const number = numberOf(value) / numberOf(other);
  return /^[\d.,]+$/.test(value) ? String(Number(number.toPrecision(2))) : null;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(join(root, page), numbersPage(numbersOf()));
