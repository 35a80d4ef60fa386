import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

// A browser: no async context to follow.
describe("edits without async context", () => {
  beforeEach(() => {
    vi.resetModules();
    vi.stubGlobal("process", { env: process.env });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("refuse a writer in the sync part of the callback at once", async () => {
    const { createTestCell } = await import("../../test/support/test-cell.js");
    const { cell } = createTestCell({ count: 0 });

    await expect(cell.edit(async () => cell.write("count", 1))).rejects.toMatchObject({ code: "STATE_LOCKED" });
  });

  it("roll back together with the writer inside after the lock timeout", async () => {
    const { createTestCell } = await import("../../test/support/test-cell.js");
    const { cell, clock } = createTestCell({ count: 0 }, { lockTimeoutMs: 100 });
    const writer = { token: {} };
    let inner: Promise<void> | undefined;
    const edit = cell.edit(async (state: { count: number }) => {
      state.count = 9;
      await null;
      await (inner = cell.write("count", 1, writer));
    }, writer);
    const elsewhere = cell.write("other", true, { token: {} });
    await expect.poll(() => inner !== undefined).toBe(true); // a poll would wait for the promise itself
    clock.advance(100);

    await expect(edit).rejects.toMatchObject({ code: "STATE_LOCKED" });
    await expect(inner).rejects.toMatchObject({ code: "STATE_LOCKED" });
    await elsewhere;
    expect(cell.read()).toEqual({ count: 0, other: true });
  });

  it("know the sync part of a callback for other calls, too", async () => {
    const { createTestCell } = await import("../../test/support/test-cell.js");
    const { refuseInsideEdit } = await import("./edit-context.js");
    const { cell } = createTestCell();

    await expect(cell.edit(() => refuseInsideEdit("sleep"))).rejects.toMatchObject({ code: "STATE_LOCKED" });
    expect(() => refuseInsideEdit("sleep")).not.toThrow();
  });
});
