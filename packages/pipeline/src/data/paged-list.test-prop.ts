/** Random appends and replacements: a list in pages is the list, in place, in a draft, in a copy, and by patches. */
import { createDraft, finishedState, type StatePatch } from "millrace/engine";
import { describe, expect, it } from "vitest";
import { Random } from "../../test/support/random.js";
import {
  append,
  appendingTo,
  changesOf,
  copyToChange,
  itemAt,
  itemsOf,
  type PagedList,
  pagedList,
  replaceAt,
  replacingIn,
  sizeOf,
} from "./paged-list.js";

const path = ["list"];
const seeds = Array.from({ length: 20 }, (_, seed) => seed);

/** What the patches of a state make of it. */
function patched(list: PagedList<number>, patches: readonly StatePatch[]): PagedList<number> {
  const state = structuredClone({ list }) as Record<string, unknown>;
  for (const { op, path: steps, value } of patches) {
    let parent = state as Record<string | number, unknown>;
    for (const step of steps.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>;
    const last = steps.at(-1) as string | number;
    if (op === "add" && Array.isArray(parent)) parent.splice(last as number, 0, structuredClone(value));
    else parent[last] = value;
  }
  return state["list"] as PagedList<number>;
}

describe("a list in pages", () => {
  it.each(seeds)("is read and written as the list of its items, seed %i", (seed) => {
    const random = new Random(seed);
    let model = Array.from({ length: random.pick([0, 1, 63, 64, 65, 128, 200]) }, (_, at) => at);
    let list = pagedList([...model]);
    for (let change = 0; change < 150; change++) {
      const value = 1000 + change;
      const at = model.length === 0 || random.between(0, 2) > 0 ? model.length : random.between(0, model.length - 1);
      const isNew = at === model.length;
      const patches = isNew ? appendingTo({ path, list }, value) : [replacingIn(path, at, value)];
      const byPatches = patched(list, patches);
      const copy = copyToChange(list, at);
      if (isNew) append(copy, value);
      else replaceAt(copy, at, value);
      const byCopy = patched(list, changesOf({ path, list }, copy));
      const state = createDraft({ list });
      if (isNew) append(state.list, value);
      else replaceAt(state.list, at, value);
      expect(itemAt(state.list, at)).toBe(value);
      expect(sizeOf(state.list)).toBe(Math.max(model.length, at + 1));
      list = finishedState(state).list;
      model = isNew ? [...model, value] : model.with(at, value);

      expect(byPatches).toEqual(list);
      expect(byCopy).toEqual(list);
      expect(itemsOf(list)).toEqual(model);
    }
    const from = random.between(0, model.length);
    expect(itemsOf(list, from)).toEqual(model.slice(from));
    expect(model.map((_, at) => itemAt(list, at))).toEqual(model);
    expect(itemAt(list, model.length)).toBeUndefined();
    expect(JSON.parse(JSON.stringify(list))).toEqual(list);
  });
});

it("an event that shows a new item finds it as the value of a patch", () => {
  const item = { content: "shown" };

  for (const size of [0, 1, 64, 128]) {
    const list = pagedList(Array.from({ length: size }, () => item));
    expect(appendingTo({ path, list }, item).at(-1)?.value).toBe(item);
  }
});

it("a change of a long list copies a page and the list of pages", () => {
  const list = pagedList(Array.from({ length: 10_000 }, (_, at) => at));
  const state = createDraft({ list });
  replaceAt(state.list, 5_000, -1);
  const next = finishedState(state).list as number[][];

  expect(next.filter((page, at) => page !== list[at])).toHaveLength(1);
  expect(Math.max(next.length, ...next.map((page) => page.length))).toBeLessThan(200);
});
