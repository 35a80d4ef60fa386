/**
 * Writes databases of pipelines of this version as SQL text, by hand, once for a form. In `packages/pipeline`:
 *
 *     node --import ./test/support/source.mjs test/golden/write.ts v1
 *
 * `asked-N.sql`: a run that waits for the answer to question N. `ended.sql`: that run, at its end. `left-at-N.sql`: a run whose
 * process was killed at commit N. `outputs.json`: what the waiting run and the ended one gave.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import type { RunStore } from "millrace/runtime";
import { sqlTextOf } from "../../../sqlite/test/sql-text.js";
import { input, orders, runOptions } from "../support/orders.js";
import { answer, given, reviewed } from "../support/reviewed.js";

const [version = "v1"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "millrace-golden-"));
const outputs: { [file: string]: unknown } = {};

await writeReviewed();
for (const last of [2, 5, 9, 14, 20]) await writeLeft(last);
write("outputs.json", `${JSON.stringify(outputs, null, 1)}\n`);
rmSync(folder, { recursive: true });
process.exit(0);

async function writeReviewed(): Promise<void> {
  const path = join(folder, "reviewed.db");
  let made = reviewed(sqliteStore(path, { durability: "process" }));
  let output = await made.run({ topic: "rivers" }, given);
  for (let question = 0; output.status === "PAUSED"; question++) {
    await made.close();
    if (question % 3 === 0) {
      write(`asked-${question}.sql`, sqlTextOf(path));
      outputs[`asked-${question}.sql`] = output;
    }
    made = reviewed(sqliteStore(path, { durability: "process" }));
    output = await made.getRun(given.runId);
    for (const requirement of output.requirements) answer(requirement);
    output = await made.continueRun(output);
  }
  await made.close();
  write("ended.sql", sqlTextOf(path));
  outputs["ended.sql"] = output;
}

async function writeLeft(last: number): Promise<void> {
  const path = join(folder, `left-${last}.db`);
  const inner = sqliteStore(path, { durability: "process" });
  const { store, left } = leftAt(inner, last);
  const made = orders(store, { effect: () => {}, isNested: true });
  const isOver = await Promise.race([left.then(() => false), made.run(input, runOptions).then(() => true)]);
  if (isOver) throw new Error(`The run is over before commit ${last}.`);
  await inner.close();
  write(`left-at-${last}.sql`, sqlTextOf(path));
}

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
        const answered = (member as (...all: unknown[]) => unknown).apply(target, args);
        if (name !== "commit" || ++commits < last) return answered;
        return (answered as Promise<unknown>).then(() => (leave(), never));
      };
    },
  });
  return { store: proxy, left };
}

function write(name: string, text: string): void {
  const file = new URL(`./${version}/${name}`, import.meta.url);
  if (existsSync(file)) throw new Error(`${file.pathname} is there already: kept files stay as they are.`);
  mkdirSync(new URL("./", file), { recursive: true });
  writeFileSync(file, text.replaceAll(/\\n    at [^"]*/g, ""));
}
