/** What is deployed with one function. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { checkBody } from "../src/serverless/check-body.js";
import { runBody } from "../src/wire/schemas.js";

const MOST_BYTES = 15_000;

describe("@millrace/server/serverless", () => {
  it("is at most 15 kB over the core, minified and gzipped, and imports nothing else", async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL("../src/serverless.ts", import.meta.url))],
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      external: ["millrace", "millrace/*"],
      metafile: true,
      write: false,
      outdir: "/",
    });

    const [output] = Object.values(metafile.outputs);
    expect(new Set(output?.imports.map(({ path }) => path))).toEqual(
      new Set(["millrace", "millrace/engine", "millrace/runtime", "millrace/wire"]),
    );
    expect(Object.keys(metafile.inputs).filter((file) => file.includes("node_modules"))).toEqual([]);
    expect(gzipSync(outputFiles[0]?.text ?? "", { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
  });
});

/** Whatever JSON can say, at the edges of what is taken. */
const values: readonly unknown[] = [
  ...[null, true, 0, 1.5, "", " ", ".", "..", "...", "a", "a\u0000", "\ud800", "ü", "a".repeat(200), "a".repeat(201)],
  ...[
    "a".repeat(255),
    "a".repeat(256),
    "a".repeat(1_000),
    "a".repeat(1_001),
    [],
    [1],
    ["a"],
    {},
    { a: 1 },
    { a: "b" },
    { "a=b": "c" },
    { "": "c" },
  ],
  ...[{ "millrace.a": "b" }, { millrace: "b" }, { ["a".repeat(100)]: "b" }, { ["a".repeat(101)]: "b" }, { a: null }],
  ...[{ a: "b".repeat(255) }, { a: "b".repeat(256) }, { "a\n": "b" }],
  ...[50, 51].map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, "v"]))),
];

const takes = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

describe("the body of a start", () => {
  it.each(["start_event", "kwargs", "handler_id", "labels", "context"])(
    "is taken by the function where the server takes it: %s",
    (field) => {
      for (const value of values) {
        const body = { [field]: value };
        expect(
          takes(() => checkBody(body)),
          JSON.stringify(body),
        ).toBe(runBody.safeParse(body).success);
      }
    },
  );

  it("is refused with every part that does not fit", () => {
    expect(() => checkBody({ kwargs: 1, labels: { "a=": "b" }, step: "" })).toThrow(
      "The body is invalid: kwargs: is not an object; labels: a name of a label has no `=`, and no `millrace.` in front; step: is empty.",
    );
    expect(() => checkBody([])).toThrow("The body is invalid: is not an object.");
  });
});
