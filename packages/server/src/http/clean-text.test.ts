import { describe, expect, it } from "vitest";
import { cleanError, cleanJson, cleanText } from "./clean-text.js";

const here = process.cwd();

/** Texts that leak, with what is left of them. */
const hostile: readonly (readonly [string, string])[] = [
  ["boom\n    at run (/srv/app/x.js:1:2)\n    at node:internal/timers:5:1", "boom"],
  ["boom\r\n    at run (/srv/app/x.js:1:2)\r\nand more", "boom\r\nand more"],
  ['{"stack":"Error: boom\\n    at run (/srv/app/x.js:1:2)\\n    at y","n":1}', '{"stack":"Error: boom","n":1}'],
];

const ordinary: readonly string[] = [
  "there is no route /orders/new",
  "open '/data/orders/7.csv': no such file",
  `Cannot find module '${here}/x.js'`,
  "C:\\orders\\7.csv and %2Forders%2F7",
  "at once\n  and at last",
];

describe("the text of an error", () => {
  it.each(hostile)("%s", (text, left) => {
    expect(cleanText(text)).toBe(left);
    expect(cleanText(left)).toBe(left);
  });

  it.each(ordinary)("is left alone: %s", (text) => {
    expect(cleanText(text)).toBe(text);
  });

  it("is cut before it is cleaned", () => {
    expect(cleanError("x".repeat(100_000))).toHaveLength(100_000);
    expect(cleanError(`${"x".repeat(100_000)}${here}`)).toBe(`${"x".repeat(100_000)}…`);
  });
});

describe("JSON that leaves", () => {
  const leak = "boom\n    at run (/srv/app/x.js:1:2)";
  const clean = "boom";
  const through = (value: unknown): unknown => JSON.parse(cleanJson(value));

  it("has no stack, also in the texts of errors, their causes and details", () => {
    const cause = { name: "Error", message: leak, stack: "no trace" };
    const error = { name: "WorkflowError", message: leak, stack: "x", code: "X", hint: leak, details: { a: [leak] } };

    expect(through({ a: [{ ...error, cause }] })).toEqual({
      a: [
        {
          name: "WorkflowError",
          message: clean,
          code: "X",
          hint: clean,
          details: { a: [clean] },
          cause: { name: "Error", message: clean },
        },
      ],
    });
  });

  it("has none in what was thrown and is not an error", () => {
    expect(through({ a: { name: "Thrown", message: leak } })).toEqual({ a: { name: "Thrown", message: clean } });
    expect(through({ error: leak, lastError: { why: [leak] }, errors: [leak], cause: { path: leak } })).toEqual({
      error: clean,
      lastError: { why: [clean] },
      errors: [clean],
      cause: { path: clean },
    });
  });

  it("keeps what a workflow shows in its own fields, and dates in errors", () => {
    const shown = { path: `${here}/x.js`, message: leak, name: "Ada", note: `error: ${leak}` };

    expect(through(shown)).toEqual(shown);
    expect(through({ error: { at: new Date(0) } })).toEqual({ error: { at: "1970-01-01T00:00:00.000Z" } });
  });
});

/** Characters and words of the patterns that clean. */
const parts = [
  "\\",
  "\n",
  "\r\n",
  " ",
  "\t",
  "/",
  "'",
  '"',
  "?",
  "%2F",
  "at ",
  "\n at ",
  "\\n  at ",
  "vscode-",
  here,
  "file:/",
  "a",
];

describe("the cost of cleaning", () => {
  it.each(parts.flatMap((one) => parts.map((other) => one + other)))(
    "grows with the length of a text of %j",
    (unit) => {
      const errorsOf = (count: number) => {
        const text = unit.repeat(count);
        return {
          error: text,
          errors: [{ name: "Error", message: text, stack: text, cause: { name: text, message: text } }],
        };
      };
      const costMs = (count: number) => {
        const value = errorsOf(count);
        const runs = Array.from({ length: 3 }, () => {
          const sinceMs = performance.now();
          cleanJson(value);
          return performance.now() - sinceMs;
        });
        return Math.min(...runs);
      };
      const count = Math.ceil(20_000 / unit.length);

      // A quadratic pattern takes more than 100 ms here, and four times as much for twice the length.
      expect(Math.min(costMs(count), costMs(2 * count) / 3)).toBeLessThan(20);
    },
  );
});
