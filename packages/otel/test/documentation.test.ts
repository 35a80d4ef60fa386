/** The tables of the pages are those of the code. `UPDATE_DOCS=1` writes them. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { metricFacts, spanFacts } from "../src/index.js";

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

/** Where each table is. */
const pages = [
  ["spans", "how-to/observe.md"],
  ["metrics", "reference/metrics.md"],
] as const;

function withTable(page: string, name: keyof typeof tables): string {
  const head = page.slice(0, page.indexOf(`<!-- ${name} -->`)).trimEnd();
  const rest = page.slice(page.indexOf(`<!-- /${name} -->`));
  const lines = head.split("\n");
  const separator = lines.findLastIndex((line) => /^\| -/.test(line));
  return `${lines.slice(0, separator + 1).join("\n")}\n${tables[name].join("\n")}\n\n<!-- ${name} -->\n${rest}`;
}

describe("the documentation", () => {
  it.each(pages)("names all %s, with their attributes", (name, path) => {
    const page = new URL(`../../../docs/${path}`, import.meta.url);
    const text = readFileSync(page, "utf8");
    if (process.env["UPDATE_DOCS"]) writeFileSync(page, withTable(text, name));

    expect(readFileSync(page, "utf8")).toBe(withTable(text, name));
  });
});
