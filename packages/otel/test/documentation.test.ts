/** The tables of the page are those of the code. `UPDATE_DOCS=1` writes them. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { metricFacts, spanFacts } from "../src/index.js";

const page = new URL("../../../docs/how-to/observe.md", import.meta.url);

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ") || "none";
const tables = {
  spans: Object.entries(spanFacts).map(
    ([word, { description, attributes }]) => `| \`${word} …\` | ${description} | ${codes(attributes)} |`,
  ),
  metrics: Object.entries(metricFacts).map(
    ([name, { kind, unit, description, attributes }]) =>
      `| \`${name}\` | ${kind} | \`${unit}\` | ${description} | ${codes(attributes)} |`,
  ),
};

function withTables(text: string): string {
  return Object.entries(tables).reduce((page, [name, rows]) => {
    const head = page.slice(0, page.indexOf(`<!-- ${name} -->`)).trimEnd();
    const rest = page.slice(page.indexOf(`<!-- /${name} -->`));
    const lines = head.split("\n");
    const separator = lines.findLastIndex((line) => /^\| -/.test(line));
    return `${lines.slice(0, separator + 1).join("\n")}\n${rows.join("\n")}\n\n<!-- ${name} -->\n${rest}`;
  }, text);
}

describe("docs/how-to/observe.md", () => {
  it("names every span and every metric, with its attributes", () => {
    const text = readFileSync(page, "utf8");
    if (process.env["UPDATE_DOCS"]) writeFileSync(page, withTables(text));

    expect(readFileSync(page, "utf8")).toBe(withTables(text));
  });
});
