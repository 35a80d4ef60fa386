import { expect, it } from "vitest";
import { copyJson } from "./copy-json.js";

const copy = (data: unknown): unknown => copyJson(data, "The data", "SNAPSHOT_HOSTILE");

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
