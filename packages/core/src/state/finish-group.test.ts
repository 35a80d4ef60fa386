import { describe, expect, it } from "vitest";
import { type FinishEdit, FinishGroup } from "./finish-group.js";
import { StateStore, type StoreHost } from "./state-store.js";

interface Ending extends FinishEdit {
  /** Stores the tick that the edit is in. */
  store(): void;
}

/** The end of a step of `run` that adds `text` to the state. Stored at once, or when the test says so. */
function ending(run: object, text: string, how: "atOnce" | "later" = "later"): Ending {
  let stored: () => void = () => {};
  return {
    run,
    token: {},
    edit: (state: never) => void (state as string[]).push(text),
    direct: null,
    isOver: () => false,
    submit(_answer, _change, onStored) {
      stored = onStored;
      if (how === "atOnce") onStored();
      return true;
    },
    fail(error) {
      throw error;
    },
    store: () => stored(),
  };
}

describe("final edits that hold the lock together", () => {
  it("hold it until the last is stored, even if the first is stored while the others are made", () => {
    const run = {};
    let isFree = false;
    const [first, second] = [ending(run, "a", "atOnce"), ending(run, "b")];
    const group = new FinishGroup(
      () => "",
      (before, { edit }) => {
        const list = [before as string];
        edit(list as never);
        return { answer: undefined, change: { next: list.join("") } as never };
      },
    );

    group.open(() => {
      isFree = true;
    }, [first, second]);
    const whileMade = isFree;
    second.store();

    expect([whileMade, isFree]).toEqual([false, true]);
  });
});

describe("the queue of a state", () => {
  it("has calls and final edits in one line, and makes together those that fit", async () => {
    let state: { readonly list: readonly string[] } = { list: [] };
    const stored: (() => void)[] = [];
    const made: string[] = [];
    const host: StoreHost = {
      read: () => state,
      commit(change) {
        state = change.next as typeof state;
      },
      schema: null,
      types: [],
      lockTimeoutMs: 1_000,
      clock: { now: () => 0, setTimer: () => () => {} },
    };
    const cell = new StateStore(host);
    const [ann, bob] = [{}, {}];
    const finish = (run: object, text: string): void =>
      cell.finish({
        ...ending(run, text),
        edit: (draft: never) => void (draft as { list: string[] }).list.push(text),
        submit(_answer, change, onStored) {
          made.push(text);
          stored.push(() => {
            state = change?.next as typeof state;
            onStored();
          });
          return true;
        },
      });
    const settled = () => new Promise((resolve) => setTimeout(resolve));

    finish(ann, "ann 1"); // at once: no attempt is at work
    finish(ann, "ann 2"); // with it
    finish(bob, "bob 1"); // of another run: waits
    const edit = cell.edit((draft: { list: string[] }) => void draft.list.push("edit"));
    finish(bob, "bob 2"); // waits behind the edit, and is made with the one before it
    finish(ann, "ann 3");
    const first = [...made];
    for (const store of stored.splice(0)) store();
    await settled();
    const second = [...made];
    for (const store of stored.splice(0)) store();
    await edit;
    await settled();
    for (const store of stored.splice(0)) store();
    await settled();

    expect(first).toEqual(["ann 1", "ann 2"]);
    expect(second).toEqual(["ann 1", "ann 2", "bob 1", "bob 2"]);
    expect(made).toEqual(["ann 1", "ann 2", "bob 1", "bob 2", "ann 3"]);
    expect(state.list).toEqual(["ann 1", "ann 2", "bob 1", "bob 2", "edit", "ann 3"]);
    expect(cell.isBusy).toBe(false);
  });
});
