/** Pages that print a program of the examples print it as it is. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it.each([
  ["deployment.md", "deployment/main.ts"],
  ["how-to/call-a-model.md", "call-a-model.ts"],
])("%s prints %s", (page, file) => {
  const program = read(file).replace(/^\/\/ .*\n/, "");

  expect(read(`../docs/${page}`)).toContain(program);
});

it("the page about testing prints its files piece by piece", () => {
  const files = read("testing/order.ts") + read("testing/order.test.ts");
  const pieces = [...read("../docs/how-to/test-with-vitest.md").matchAll(/^```ts fragment\n(.*?)^```/gms)]
    .map(([, code = ""]) => code)
    .filter((code) => !code.startsWith("// vitest.config.ts"));

  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.filter((piece) => !files.includes(piece))).toEqual([]);
});
