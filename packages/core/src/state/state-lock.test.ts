import { describe, expect, it } from "vitest";
import { createTestCell, deferred } from "../../test/support/test-cell.js";
import { refuseInsideEdit } from "./edit-context.js";

interface State {
  count: number;
  [key: string]: unknown;
}
const start = { count: 0, list: [{ n: 1 }] };

describe("StateCell: writers inside an edit", () => {
  it("are refused at once after an await, and the edit continues if it catches it", async () => {
    const { cell } = createTestCell(start);
    const refused = await cell.edit(async (state: State) => {
      await null;
      const writers = [cell.write("count", 1), cell.edit(() => {}), cell.replace({}), cell.clear()];
      state.count = 7;
      return (await Promise.allSettled(writers)).map((writer) => writer.status === "rejected" && writer.reason.code);
    });

    expect(refused).toEqual(["STATE_LOCKED", "STATE_LOCKED", "STATE_LOCKED", "STATE_LOCKED"]);
    expect(cell.read("count")).toBe(7);
  });

  it("fail a sync edit, which could not wait for them", async () => {
    const { cell } = createTestCell(start);
    const edit = cell.edit((state: State) => {
      cell.write("count", 1).catch(() => {});
      state.count = 7;
    });

    await expect(edit).rejects.toMatchObject({ code: "STATE_LOCKED", message: expect.stringContaining("`set`") });
    expect(cell.read("count")).toBe(0);
  });

  it("are allowed on another state, also by turns", async () => {
    const [one, two] = [createTestCell(start).cell, createTestCell(start).cell];
    const edit = one.edit(async () => {
      await two.edit(async () => {
        await null;
        await one.write("count", 1);
      });
    });

    await expect(edit).rejects.toMatchObject({ code: "STATE_LOCKED" });
    await two.write("count", 2);
    expect(two.read("count")).toBe(2);
  });

  it("are not those of another attempt that was only started there", async () => {
    const { cell } = createTestCell(start);
    let other: Promise<void> | undefined;
    await cell.edit(
      async () => {
        other = cell.write("count", 5, { token: { attempt: 2 } });
      },
      { token: { attempt: 1 } },
    );
    await other;

    expect(cell.read("count")).toBe(5);
  });

  it("are not those that continue after it", async () => {
    const { cell } = createTestCell(start);
    let later: Promise<void> | undefined;
    await cell.edit(async () => {
      later = new Promise((resolve) => setImmediate(resolve)).then(() => cell.write("count", 5));
    });

    await later;
    expect(cell.read("count")).toBe(5);
  });

  it("refuseInsideEdit names what was called, and passes outside", async () => {
    const { cell } = createTestCell(start);

    expect(() => refuseInsideEdit("waitForEvent")).not.toThrow();
    const later = cell.edit(async () => {
      await null;
      refuseInsideEdit("waitForEvent");
    });
    await expect(later).rejects.toMatchObject({
      code: "STATE_LOCKED",
      message: expect.stringContaining("`waitForEvent`"),
    });
    await expect(cell.edit(() => void refuseInsideEdit("run"))).rejects.toMatchObject({ code: "STATE_LOCKED" });
  });
});

describe("StateCell: rollback", () => {
  const error = new Error("attempt ended");

  it("rolls the open edit and the queued writers of the attempt back, and lets others in", async () => {
    const { cell } = createTestCell(start);
    const token = {};
    const gate = deferred();
    let late: State | undefined;
    const edit = cell.edit(
      async (state: State) => {
        late = state;
        state.count = 1;
        await gate.promise;
        state.count = 2;
      },
      { token },
    );
    const queued = cell.write("count", 3, { token });
    const other = cell.write("other", true, { token: {} });
    await Promise.resolve();
    cell.rollback(token, error);

    await expect(edit).rejects.toBe(error);
    await expect(queued).rejects.toBe(error);
    await other;
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    (late as State).count = 4;
    expect(cell.read()).toEqual({ ...start, other: true });
  });

  it("does not disturb when the callback fails afterwards", async () => {
    const { cell } = createTestCell(start);
    const token = {};
    const gate = deferred();
    const edit = cell.edit(() => gate.promise.then(() => Promise.reject(new Error("late"))), { token });
    await Promise.resolve();
    cell.rollback(token, error);
    gate.resolve();

    await expect(edit).rejects.toBe(error);
    await cell.write("count", 1);
    expect(cell.read("count")).toBe(1);
  });

  it("answers at once while a change is being stored, and keeps the next writer waiting for it", async () => {
    const stored = deferred();
    const { cell } = createTestCell(start, { stored: stored.promise });
    const token = {};
    const edit = cell.edit((state: State) => void (state.count = 5), { token });
    await Promise.resolve();
    const next = cell.edit((state: State) => void state.count++);
    cell.rollback(token, error);
    await expect(edit).rejects.toBe(error);

    stored.resolve();
    await next;
    expect(cell.read("count")).toBe(6);
  });

  it("finds the writers of an attempt until they have ended", async () => {
    const { cell } = createTestCell(start);
    const token = {};
    const writes = [cell.write("a", 1, { token }), cell.write("b", 2, { token })];
    expect(cell.isWriting(token)).toBe(true);
    expect(cell.isWriting({})).toBe(false);

    await Promise.all(writes);
    expect(cell.isWriting(token)).toBe(false);
  });

  it("of another attempt changes nothing", async () => {
    const { cell } = createTestCell(start);
    const edit = cell.edit(async (state: State) => void state.count++, { token: {} });
    cell.rollback({}, error);
    await edit;

    expect(cell.read("count")).toBe(1);
  });
});

describe("StateCell: lock timeout", () => {
  it("rolls an edit back that keeps another writer waiting too long; the writer continues", async () => {
    const { cell, clock } = createTestCell(start, { lockTimeoutMs: 100 });
    const edit = cell.edit((state: State) => {
      state.count = 9;
      return new Promise<void>(() => {});
    });
    await Promise.resolve();
    clock.advance(1_000);
    expect(clock.timers).toBe(0);

    const waiting = cell.write("count", 1);
    clock.advance(99);
    expect(cell.read("count")).toBe(0);
    clock.advance(1);

    await expect(edit).rejects.toMatchObject({ code: "STATE_LOCKED", message: expect.stringContaining("100 ms") });
    await waiting;
    expect(cell.read("count")).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it("comes, one limit later at most, where the clock is set back", async () => {
    const { cell, clock } = createTestCell(start, { lockTimeoutMs: 100 });
    const edit = cell.edit(() => new Promise<void>(() => {}));
    await Promise.resolve();
    const waiting = cell.write("count", 1);

    clock.setBy(-500);
    clock.advance(100);
    clock.advance(100);

    await expect(edit).rejects.toMatchObject({ code: "STATE_LOCKED" });
    await waiting;
    expect(cell.read("count")).toBe(1);
  });

  it("measures each edit by itself, however long the queue is", async () => {
    const { cell, clock } = createTestCell(start, { lockTimeoutMs: 100 });
    const gates = [deferred(), deferred(), deferred()];
    const edits = gates.map((gate) => cell.edit((state: State) => gate.promise.then(() => void state.count++)));
    for (const [index, gate] of gates.entries()) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(60);
      gate.resolve();
      await edits[index];
    }

    expect(cell.read("count")).toBe(3);
    expect(clock.timers).toBe(0);
  });

  it("does not run out while a change is being stored", async () => {
    const stored = deferred();
    const { cell, clock } = createTestCell(start, { lockTimeoutMs: 100, stored: stored.promise });
    const first = cell.edit((state: State) => void state.count++);
    const second = cell.edit((state: State) => void state.count++);
    await Promise.resolve();
    clock.advance(1_000);
    stored.resolve();
    await Promise.all([first, second]);

    expect(cell.read("count")).toBe(2);
  });
});
