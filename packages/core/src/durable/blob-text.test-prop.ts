import fc from "fast-check";
import { expect, it } from "vitest";
import { BLOB_LENGTH, packList, packText, unpackText } from "./blob-text.js";

const long = "x".repeat(BLOB_LENGTH);
const keys = fc.constantFrom("a", "b", "$blob", "$plain", "list");
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(1, null, true, "short", `${long}1`, `${long}2`),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
})).value;

it("gives back what was packed, whatever its keys are called", async () => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const text = JSON.stringify({ value, more: long });
      const names: string[] = [];
      const packed = packText(text, (json) => `${json.length}:${names.push(json)}`);
      const blobs = new Map(packed.blobs.map((blob) => [blob.hash, blob.text]));

      expect(await unpackText(packed.text, async (name) => blobs.get(name) as string)).toBe(text);
      const list = packList([text, text], (json) => `${json.length}:${names.push(json)}`, 0);
      const listed = new Map(list.blobs.map((blob) => [blob.hash, blob.text]));
      expect(await unpackText(list.text, async (name) => listed.get(name) as string)).toBe(`[${text},${text}]`);
      expect(packed.blobs.length).toBeGreaterThan(0);
    }),
  );
});

it("stores one large value once, and leaves a small text as it is", () => {
  const hash = (json: string): string => `#${json.length}`;

  expect(packText(JSON.stringify({ a: [long, long] }), hash)).toEqual({
    text: 'B{"a":[{"$blob":"#65538"},{"$blob":"#65538"}]}',
    blobs: [{ hash: "#65538", text: JSON.stringify(long) }],
  });
  expect(packText('{"a":1}', hash)).toEqual({ text: '{"a":1}', blobs: [] });
});
