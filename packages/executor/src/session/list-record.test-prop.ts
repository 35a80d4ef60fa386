/** Runs that work on one list at once. What each of them does is recorded, commit by commit. */
import "../../test/support/seed.js";
import { fc, it } from "@fast-check/vitest";
import { createDraft, finishedState } from "millrace/engine";
import { describe, expect } from "vitest";
import { keepChanges, type StoredSession } from "./counted.js";
import { copyJson, type JsonObject } from "./json.js";
import { recordedOrigins } from "./list-record.js";
import { mergeLists } from "./merge-lists.js";
import { mergeStates } from "./merge-states.js";
import { LiveSessionState } from "./session-state.js";

interface Item extends JsonObject {
  id?: string;
  text: string;
  tags: string[];
}

/** Works on the list of a state; `name` is for new values. */
type Work = (state: JsonObject, name: string) => void;

class Run {
  readonly #live: LiveSessionState;
  readonly #base: JsonObject;
  #stored: StoredSession;

  constructor(base: JsonObject) {
    this.#base = copyJson(base);
    this.#live = new LiveSessionState(base);
    this.#stored = { session: copyJson(base), sessionAtStart: copyJson(base), counted: {}, lists: {} };
  }

  /** Each work in a separate commit. */
  do(works: readonly Work[], name: string): this {
    for (const [index, work] of works.entries()) {
      const view = this.#live.view();
      work(view.state, `${name}${index}`);
      const draft = createDraft(this.#stored);
      keepChanges(draft, view.take());
      this.#stored = finishedState(draft);
    }
    return this;
  }

  get state(): JsonObject {
    return this.#stored.session;
  }

  get list(): unknown[] {
    return this.state["list"] as unknown[];
  }

  /** The list as its record makes it of the one at the start. */
  get replayed(): unknown[] {
    const base = listOf(this.#base);
    const recorded = recordedOrigins(this.#stored.lists, ["list"], base);
    const how = { recorded, merge: ({ mine }: { mine: unknown }) => mine, isCounted: () => false };
    return mergeLists({ base, theirs: base, mine: this.list }, how);
  }

  endAfter(theirs: Readonly<JsonObject> = this.#base): JsonObject {
    const { session: mine, counted, lists } = this.#stored;
    return mergeStates({ base: this.#base, theirs, mine, counted, lists });
  }
}

const listOf = (state: JsonObject) => state["list"] as unknown[];
const itemsOf = (state: JsonObject) => state["list"] as Item[];
const at = (list: readonly unknown[], place: number): number => (list.length === 0 ? 0 : place % list.length);
const place = fc.nat({ max: 12 });

/** What there is to do with a list, whatever its items are. */
const rearrange: fc.Arbitrary<Work> = fc.oneof(
  place.map(
    (n): Work =>
      (state) =>
        void listOf(state).splice(at(listOf(state), n), 1),
  ),
  fc.constant<Work>((state) => void listOf(state).shift()),
  fc.constant<Work>((state) => void listOf(state).pop()),
  fc.constant<Work>((state) => void listOf(state).reverse()),
  fc.constant<Work>((state) => void listOf(state).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))),
  fc.tuple(place, place).map(
    ([from, to]): Work =>
      (state) => {
        const list = listOf(state);
        const moved = list.splice(at(list, from), 1);
        list.splice(to, 0, ...moved);
      },
  ),
  place.map(
    (n): Work =>
      (state) => {
        state["list"] = listOf(state).filter((_, index) => index !== at(listOf(state), n));
      },
  ),
);

const adds: fc.Arbitrary<(state: JsonObject, item: unknown) => void> = fc.oneof(
  fc.constant((state: JsonObject, item: unknown) => void listOf(state).push(item)),
  fc.constant((state: JsonObject, item: unknown) => void listOf(state).unshift(item)),
  fc.constant((state: JsonObject, item: unknown) => void (state["list"] = [...listOf(state), item])),
  place.map((n) => (state: JsonObject, item: unknown) => void listOf(state).splice(n, 0, item)),
);

const workOnTexts: fc.Arbitrary<Work> = fc.oneof(
  rearrange,
  adds.map(
    (add): Work =>
      (state, name) =>
        add(state, name),
  ),
  adds.map(
    (add): Work =>
      (state) =>
        add(state, "a"),
  ),
  place.map(
    (n): Work =>
      (state, name) =>
        void (listOf(state)[at(listOf(state), n)] = name),
  ),
);

const addItem = adds.map(
  (add): Work =>
    (state, name) =>
      add(state, { id: name, text: name, tags: [] }),
);
const editItem: fc.Arbitrary<Work> = fc.oneof(
  place.map(
    (n): Work =>
      (state, name) => {
        const item = itemsOf(state)[at(itemsOf(state), n)];
        if (item !== undefined) item.text = name;
      },
  ),
  place.map(
    (n): Work =>
      (state, name) =>
        itemsOf(state)[at(itemsOf(state), n)]?.tags.push(name),
  ),
  place.map(
    (n): Work =>
      (state, name) => {
        const changed = at(itemsOf(state), n);
        state["list"] = itemsOf(state).map((item, index) =>
          index === changed ? { ...item, tags: [...item.tags, name] } : item,
        );
      },
  ),
);

const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
const ids = fc.uniqueArray(fc.constantFrom("p", "q", "r", "s", "t", "u"), { maxLength: 6 });
const stateOfTexts = texts.map((list): JsonObject => ({ list }));
const stateOfItems = ids.map((all): JsonObject => ({ list: all.map((id) => ({ id, text: id, tags: [id] })) }));
const manyOf = (work: fc.Arbitrary<Work>) => fc.array(work, { maxLength: 6 });
const idsIn = (list: readonly unknown[]) => list.map((item) => (item as Item).id as string);

describe("a recorded run", () => {
  it.prop([stateOfTexts, manyOf(workOnTexts)])("alone leaves its texts as they are", (base, works) => {
    const run = new Run(base).do(works, "m");

    expect(run.replayed).toEqual(run.list);
  });

  it.prop([stateOfItems, manyOf(fc.oneof(rearrange, addItem, editItem))])(
    "alone leaves its items as they are",
    (base, works) => {
      const run = new Run(base).do(works, "m");

      expect(run.replayed).toEqual(run.list);
    },
  );

  it.prop([stateOfTexts, texts, texts])(
    "has what both have pushed, in the order of their ends",
    (base, first, last) => {
      const push = (all: readonly string[]) =>
        all.map(
          (text): Work =>
            (state) =>
              void listOf(state).push(text),
        );
      const theirs = new Run(base).do(push(first), "t");
      const mine = new Run(base).do(push(last), "m");

      expect(mine.endAfter(theirs.endAfter())).toEqual({ list: [...listOf(base), ...first, ...last] });
    },
  );

  it.prop([stateOfTexts, manyOf(workOnTexts), texts])(
    "loses nothing that it has pushed, whatever the other has done",
    (base, others, pushed) => {
      const theirs = new Run(base).do(others, "t");
      const works = pushed.map(
        (text): Work =>
          (state) => {
            listOf(state).shift();
            listOf(state).push(`pushed ${text}`);
            listOf(state).push(text);
          },
      );
      const mine = new Run(base).do(works, "m");
      const merged = listOf(mine.endAfter(theirs.endAfter()));

      const kept = mine.list.filter((text) => String(text).startsWith("pushed"));
      expect(merged.filter((text) => String(text).startsWith("pushed"))).toEqual(kept);
      expect(merged).toEqual(expect.arrayContaining(theirs.list.filter((text) => String(text).startsWith("t"))));
    },
  );

  it.prop([stateOfItems, manyOf(fc.oneof(rearrange, addItem)), manyOf(fc.oneof(rearrange, addItem))])(
    "has each item once that neither has removed",
    (base, others, own) => {
      const theirs = new Run(base).do(others, "t");
      const mine = new Run(base).do(own, "m");
      const merged = idsIn(listOf(mine.endAfter(theirs.endAfter())));
      const lists = { base: idsIn(listOf(base)), theirs: idsIn(theirs.list), mine: idsIn(mine.list) };
      const expected = [...new Set([...lists.theirs, ...lists.mine])].filter(
        (id) => !lists.base.includes(id) || (lists.theirs.includes(id) && lists.mine.includes(id)),
      );

      expect(merged.toSorted()).toEqual(expected.toSorted());
    },
  );

  it.prop([stateOfItems, manyOf(fc.oneof(rearrange, addItem)), manyOf(editItem)])(
    "has edited items as it has edited them, wherever the other has moved them",
    (base, others, own) => {
      const theirs = new Run(base).do(others, "t");
      const mine = new Run(base).do(own, "m");
      const before = itemsOf(base);
      const edited = (mine.list as Item[]).filter(({ id, text, tags }) =>
        before.some((item) => item.id === id && (item.text !== text || item.tags.length !== tags.length)),
      );

      for (const merged of [mine.endAfter(theirs.endAfter()), theirs.endAfter(mine.endAfter())])
        for (const item of edited) expect(itemsOf(merged).filter(({ id }) => id === item.id)).toEqual([item]);
    },
  );

  it.prop([stateOfItems, manyOf(editItem), fc.subarray(["p", "q", "r", "s", "t", "u"])])(
    "commutes with another one that has worked on other items",
    (base, works, removed) => {
      const isOther = ({ id }: Item) => removed.includes(id as string);
      const theirs = new Run(base).do(
        [(state) => void (state["list"] = itemsOf(state).filter((item) => !isOther(item)))],
        "t",
      );
      const mine = new Run(base).do(works, "m");
      for (const [index, item] of itemsOf(mine.state).entries())
        if (isOther(item) && JSON.stringify(item) !== JSON.stringify(itemsOf(base)[index])) return;

      expect(mine.endAfter(theirs.endAfter())).toEqual(theirs.endAfter(mine.endAfter()));
    },
  );
});
