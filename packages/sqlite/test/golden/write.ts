/**
 * Writes databases of this version as SQL text: `npx tsx packages/sqlite/test/golden/write.ts v1`. By hand, once for a form.
 *
 * Runs that were left at some commit, as by a process that was killed there, and some that have ended.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type RunStore } from "millrace/runtime";
import { sqliteStore } from "../../src/index.js";
import { sqlTextOf } from "../sql-text.js";
import { failing, kept } from "./flow.js";
import { answerAll, JumpClock, shortened, startMs } from "./play.js";

const [version = "v1"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "millrace-golden-"));
const log = { info() {}, error() {} };

/** Stands still at one commit, as a process that was killed there. */
function leftAt(store: RunStore, last: number): { readonly store: RunStore; readonly left: Promise<void> } {
  let commits = 0;
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => (leave = resolve));
  const never = new Promise<never>(() => {});
  const proxy = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (commits >= last && name !== "close" && name !== "hash") return never;
        const answer = (member as (...all: unknown[]) => unknown).apply(target, args);
        if (name !== "commit" || ++commits < last) return answer;
        return (answer as Promise<unknown>).then(() => (leave(), never));
      };
    },
  });
  return { store: proxy, left };
}

/** One file for each moment at which a run was left. */
for (let last = 1; last <= 40; last += 4) {
  const path = join(folder, `${last}.db`);
  const inner = sqliteStore(path, { durability: "process" });
  const { store, left } = leftAt(inner, last);
  const clock = new JumpClock(startMs);
  const runtime = createRuntime({ workflows: { kept, failing }, store, clock, log });
  const run = runtime.run("kept", {}, { runId: "left", labels: { at: String(last) } });
  const isOver = await Promise.race([left.then(() => false), answerAll(run, clock).then(() => true)]);
  await inner.close();
  if (isOver) break;
  write(`left-at-${String(last).padStart(2, "0")}.sql`, path);
}

const path = join(folder, "ended.db");
const store = sqliteStore(path, { durability: "process" });
const clock = new JumpClock(startMs);
const runtime = createRuntime({ workflows: { kept, failing }, store, clock, log });
await answerAll(runtime.run("kept", {}, { runId: "completed" }), clock);
await answerAll(runtime.run("failing", {}, { runId: "failed" }), clock);
const cancelled = runtime.run("kept", {}, { runId: "cancelled" });
await cancelled.idle();
await cancelled.cancel("enough");
await answerAll(cancelled, clock);
await runtime.stop({ drainMs: 0 });
await store.close();
write("ended.sql", path);

rmSync(folder, { recursive: true });
process.exit(0);

function write(name: string, path: string): void {
  const file = new URL(`./${version}/${name}`, import.meta.url);
  if (existsSync(file)) throw new Error(`${file.pathname} is there already: kept files stay as they are.`);
  mkdirSync(new URL("./", file), { recursive: true });
  writeFileSync(file, shortened(sqlTextOf(path)).replaceAll(/\\n    at [^"]*/g, ""));
}
