import { expect, it } from "vitest";
import { limited } from "../../test/support/limited.js";
import { copyJson, guardJson } from "./guard.js";
import { knownPlain, valueLimits } from "./limits.js";

const copy = (data: unknown): unknown => copyJson(data, { path: "The data", code: "SNAPSHOT_HOSTILE" });

const frozen = (data: unknown): unknown => copyJson(data, { path: "The data", code: "SNAPSHOT_HOSTILE", freeze: true });

function nested(levels: number): object {
  let data: object = {};
  for (let level = 0; level < levels; level++) data = level % 2 === 0 ? { data } : [data];
  return data;
}

/** Two to the power of `levels` objects, unless those that are one object are copied once. */
function doubled(levels: number): object {
  let data: object = {};
  for (let level = 0; level < levels; level++) data = { left: data, right: data };
  return data;
}

it("copies what is in it twice once, where it would be more than memory holds", () => {
  let [copied, levels] = [copy(doubled(60)) as { left?: object; right?: object }, 0];
  for (; copied.left !== undefined; copied = copied.left) {
    expect(copied.right).toBe(copied.left);
    levels++;
  }
  expect(levels).toBe(60);
});

it("says that it is too deep or contains itself, also after data that kept it busy", () => {
  const itself: unknown[] = [];
  itself.push({ itself });
  copy(doubled(60));

  expect(copy(nested(1_990))).toEqual(nested(1_990));
  expect(() => copy(nested(5_000))).toThrow("The data has more than 2000 levels.");
  expect(() => copy(itself)).toThrow("The data contains itself.");
});

it("freezes the copy where that is asked for, but not what `meta` beside it makes something else of", () => {
  const data = { plain: { json: { a: [1] } }, rich: { json: { a: [1] }, meta: { a: ["set"] } } };

  const { plain, rich } = frozen(data) as typeof data;

  expect([plain, plain.json, plain.json.a].map(Object.isFrozen)).toEqual([true, true, true]);
  expect([rich, rich.json, rich.json.a].map(Object.isFrozen)).toEqual([false, false, false]);
  expect([data, data.plain, data.plain.json, data.plain.json.a].map(Object.isFrozen)).not.toContain(true);
});

it("measures large parts as the guard does, and small ones not at all", () => {
  const part = Array.from({ length: 100 }, (_, index) => ({ name: `part ${index}`, tags: ["ab", null, index, true] }));
  const copied = frozen({ part, small: { part: 1 } }) as { part: unknown; small: unknown };

  expect(knownPlain(copied.part)).toMatchObject(guardJson(part, { code: "SNAPSHOT_HOSTILE" }));
  expect(knownPlain(copied.small)).toBeNull();
});

it("knows nothing of what is deeper than a value may be", () => {
  const list = Array.from({ length: 300 }, (_, index) => index);
  const restore = limited(valueLimits, { depth: 30 });

  const [deeper, within] = [nested(30), nested(28)].map((inside) => knownPlain(frozen([...list, inside])));
  restore();

  expect([deeper, within]).toEqual([null, expect.objectContaining({ items: 329 })]);
});
