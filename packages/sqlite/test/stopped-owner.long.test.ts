/** An owner that is stopped past its lease and goes on as if nothing had happened. Real processes, real signals. */
import { setTimeout as sleep } from "node:timers/promises";
import { type NoteKinds, Notes } from "@millrace/conformance/soak";
import type { ClaimedRun } from "millrace/runtime";
import { describe, expect, it, vi } from "vitest";
import { Child } from "./child/process.js";
import { openRaw, openStore, rowsOf, temporaryFile } from "./files.js";

const key = { tenant: "", runId: "run" };
const ofSecond = 'result {"first":"first","second":"second","edits":1}';

const notesOf = (path: string, name: string): NoteKinds["commits"][] => new Notes(`${path}.${name}`).all("commits");

/** Not while it has the lock of the file, in the middle of a renewal: nobody could write then. */
async function stopBetweenWrites({ pid }: Child, path: string): Promise<void> {
  const database = openRaw(path);
  for (;;) {
    process.kill(pid, "SIGSTOP");
    await sleep(20); // the signal has come by then
    try {
      database.exec("BEGIN IMMEDIATE; ROLLBACK");
      return;
    } catch {
      process.kill(pid, "SIGCONT");
      await sleep(20);
    }
  }
}

/** An owner that is stopped in its step. */
async function stoppedOwner(path: string, how: "waits" | "unaware"): Promise<Child> {
  const first = new Child("owner.ts", [path, "first", how]);
  expect(await first.line()).toBe("in step");
  await stopBetweenWrites(first, path);
  return first;
}

/** Another owner takes the run over and ends it. */
async function takeOver(path: string): Promise<void> {
  const second = new Child("owner.ts", [path, "second", "goes on"]);
  expect(await second.line()).toBe("in step");
  expect((await second.rest()).at(-1)).toBe(ofSecond);
}

describe("an owner that was stopped past its lease", () => {
  it("has refused what its step commits when it goes on, and gives the result of the next owner", async () => {
    const path = temporaryFile();
    const first = await stoppedOwner(path, "unaware");
    await takeOver(path);
    const before = notesOf(path, "first");

    first.send("go");
    process.kill(first.pid, "SIGCONT");
    const said = await first.rest();

    expect(said).toContain(ofSecond);
    const late = notesOf(path, "first").slice(before.length);
    expect(late.map(({ status, epoch }) => ({ status, epoch }))).toEqual([
      { status: "asked", epoch: 1 },
      { status: "fenced", epoch: 1 },
    ]);
    const stored = [...before, ...notesOf(path, "second")].filter(({ status }) => status === "stored");
    expect(rowsOf(openRaw(path), "SELECT first, last FROM ticks ORDER BY last")).toEqual(
      stored.map(({ first: from, last }) => ({ first: from, last })),
    );
    expect(stored.map(({ epoch }) => epoch)).toEqual([...stored.map(({ epoch }) => epoch)].sort());
    expect(rowsOf(openRaw(path), "SELECT status, epoch, owner FROM runs")).toEqual([
      { status: "completed", epoch: 2, owner: null },
    ]);
  });

  it("has refused what its step commits before the next owner has committed anything", async () => {
    const path = temporaryFile();
    const first = await stoppedOwner(path, "unaware");
    const before = notesOf(path, "first");
    const store = openStore(path);
    const claim = (): Promise<ClaimedRun | null> =>
      store.claim(key, { owner: "between", nowMs: Date.now(), untilMs: Date.now() + 60_000 });
    const claimed = await vi.waitUntil(claim, { timeout: 90_000 });

    first.send("go");
    process.kill(first.pid, "SIGCONT");
    expect(await first.line()).toBe("aborted");

    expect(notesOf(path, "first").at(-1)).toMatchObject({ status: "fenced", epoch: 1, first: claimed.run.ticks + 1 });
    expect((await store.run(key))?.ticks).toBe(before.at(-1)?.last);
    await store.commit([{ key, owner: "between", epoch: claimed.run.epoch, release: true }]);
    await takeOver(path);
    expect(await first.rest()).toContain(ofSecond);
  });

  it("learns from its renewal that the run is another's: its step can do nothing more", async () => {
    const path = temporaryFile();
    const first = await stoppedOwner(path, "waits");
    await takeOver(path);
    const before = notesOf(path, "first");

    process.kill(first.pid, "SIGCONT");
    expect(await first.line()).toBe("aborted");
    first.send("go");
    const said = await first.rest();

    expect(said).toContain(ofSecond);
    expect(notesOf(path, "first")).toEqual(before);
  });
});
