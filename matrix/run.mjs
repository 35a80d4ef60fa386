/**
 * Builds one workflow with every toolchain of rows.mjs, minified, runs what came out, and compares
 * with what rows.mjs (and docs/reference/toolchains.md) says will happen.
 *
 *     npm run matrix [word …]     only the rows whose name has one of the words
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installMatrix } from "./install.mjs";

/** What the workflow prints: by hand, not from a run. */
const expected = '{"by":"Ada","euros":15,"lines":["APPLES","PEARS","QUINCES"],"orders":1,"priced":3}';
const out = join(import.meta.dirname, "out");

/** "works", or the first telling line of what went wrong. */
async function outcomeOf(row, index) {
  const folder = join(out, `${index + 1}-${row.name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`);
  mkdirSync(folder, { recursive: true });
  try {
    const printed = (await row.run(folder)).trim();
    return printed === (row.prints ?? expected) ? "works" : `printed ${printed.slice(0, 500)}`;
  } catch (error) {
    return tellingLine(String(error?.message ?? error));
  }
}

/** Programs print a page, and minified source with it; the line with the error says it all. */
function tellingLine(said) {
  const lines = said.split("\n").map((line) => line.trim());
  const told = lines.find((line) => /^(.{0,80})error\b/i.test(line)) ?? lines.findLast(Boolean);
  return (told ?? "no message").slice(0, 300);
}

const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
installMatrix();
// After the install: it imports the tools that were installed.
const { rows, rowsBeside } = await import("./rows.mjs");
const isWanted = ({ name }) => words.length === 0 || words.some((word) => name.includes(word));

rmSync(out, { recursive: true, force: true });
const results = [];
async function attempt(row) {
  const startedAtMs = Date.now();
  const outcome = await outcomeOf(row, [...rows, ...rowsBeside].indexOf(row));
  const asExpected = row.fails ? row.fails.test(outcome) : outcome === "works";
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  const short = row.fails && asExpected ? `cannot: ${row.fails.exec(outcome)[0]}` : outcome;
  results.push(asExpected);
  console.log(`${asExpected ? "ok    " : "FAILED"} ${row.name.padEnd(46)} ${seconds.padStart(5)} s  ${short}`);
}

/** Two at a time: those that share the folder of the matrix in turn, and the others beside them, then in both places. */
const beside = rowsBeside.filter(isWanted);
async function inTurn(own) {
  for (const row of own) await attempt(row);
  for (let row = beside.shift(); row !== undefined; row = beside.shift()) await attempt(row);
}
await Promise.all([inTurn(rows.filter(isWanted)), inTurn([])]);
const passed = results.filter(Boolean).length;
console.log(`\n${passed} of ${results.length} rows are as documented`);
process.exit(passed === results.length && passed > 0 ? 0 : 1);
