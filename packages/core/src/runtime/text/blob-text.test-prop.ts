import fc from "fast-check";
import { expect, it } from "vitest";
import { BLOB_LENGTH, packList, packText, TEXT_LENGTH, unpackText } from "./blob-text.js";

const long = "x".repeat(BLOB_LENGTH);
const keys = fc.constantFrom("a", "b", "$blob", "$plain", "list");
const valuesOf = (leaves: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(...leaves),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
const leaves = [
  1,
  -1.5e300,
  null,
  true,
  "short",
  "",
  '"',
  "\\",
  '\\"',
  '"$blob":',
  '{"$plain":[',
  "]}",
  "\u2028\ud800é",
];

it("restores what was packed, whatever its keys are called", async () => {
  await fc.assert(
    fc.asyncProperty(
      valuesOf([...leaves, `${long}1`, `${long}2`, `"${long}\\`, "\\".repeat(BLOB_LENGTH)]),
      valuesOf(leaves),
      async (value, small) => {
        const text = JSON.stringify({ value, more: long });
        const names: string[] = [];
        const packed = packText(text, (json) => `${json.length}:${names.push(json)}`);
        const blobs = new Map(packed.blobs.map((blob) => [blob.hash, blob.text]));

        expect(await unpackText(packed.text, async (name) => blobs.get(name) as string)).toBe(text);
        const list = packList([text, JSON.stringify(small), text], (json) => `${json.length}:${names.push(json)}`);
        const listed = new Map(list.blobs.map((blob) => [blob.hash, blob.text]));
        expect(await unpackText(list.text, async (name) => listed.get(name) as string)).toBe(
          `[${text},${JSON.stringify(small)},${text}]`,
        );
        expect(packed.blobs.length).toBeGreaterThan(0);
      },
    ),
  );
});

it("keeps fields that are called as those of every object", async () => {
  const text = `{"__proto__":{"polluted":"${long}1","$blob":"no"},"a":{"__proto__":"${long}2","constructor":["${long}1"]}}`;
  const packed = packText(text, (json) => `${json.length}:${json.at(-2)}`);
  const blobs = new Map(packed.blobs.map((blob) => [blob.hash, blob.text]));

  expect(blobs.size).toBe(2);
  expect(await unpackText(packed.text, async (name) => blobs.get(name) as string)).toBe(text);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

it("stores one large value once, and leaves a small text as it is", () => {
  const hash = (json: string): string => `#${json.length}`;

  expect(packText(JSON.stringify({ a: [long, long] }), hash)).toEqual({
    text: 'B{"a":[{"$blob":"#65538"},{"$blob":"#65538"}]}',
    blobs: [{ hash: "#65538", text: JSON.stringify(long) }],
  });
  expect(packText('{"a":1}', hash)).toEqual({ text: '{"a":1}', blobs: [] });
});

it("stores a text once that is longer than a few kilobytes, and leaves other values of that length", () => {
  const text = "t".repeat(TEXT_LENGTH);
  const list = Array.from({ length: TEXT_LENGTH }, () => 1);

  expect(packText(JSON.stringify({ list, texts: [text, text] }), (json) => `#${json.length}`)).toEqual({
    text: `B{"list":${JSON.stringify(list)},"texts":[{"$blob":"#4098"},{"$blob":"#4098"}]}`,
    blobs: [{ hash: "#4098", text: JSON.stringify(text) }],
  });
});

it("leaves a list of small texts as it is, however long", () => {
  const texts = Array.from({ length: 3_000 }, (_, place) =>
    JSON.stringify({ place, text: "x".repeat(30), $blob: "no" }),
  );

  expect(packList(texts, () => "none")).toEqual({ text: `[${texts.join(",")}]`, blobs: [] });
});
