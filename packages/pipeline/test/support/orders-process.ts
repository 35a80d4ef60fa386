/**
 * Goes on with the run that the processes before it have left, or starts it. Prints `ready`, and `done` at the end of the run.
 *
 * @module
 */
import { writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { Effects } from "./effects.js";
import { type Death, Mortality, mortalStore } from "./mortality.js";
import { input, lastKey, orders, runOptions } from "./orders.js";

export interface OrdersProcess {
  readonly path: string;
  readonly effects: string;
  /** How many were before it. */
  readonly life: number;
  readonly death: Death | null;
  /** Others will kill it: it does a little, and never comes to the end of the run, however late they are. */
  readonly isDoomed: boolean;
  readonly isNested: boolean;
}

const { path, life, death, isDoomed, isNested, ...files } = JSON.parse(process.argv[2] as string) as OrdersProcess;
const mortality = new Mortality(death);
const effects = new Effects(files.effects);
const store = mortalStore(sqliteStore(path, { durability: "process" }), mortality);
let count = 0;
const effect = (key: string): void => {
  effects.add({ key, life });
  mortality.reach("in effect");
  if (isDoomed && (++count === 2 || key === lastKey)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const pipeline = orders(store, { effect, isNested });
await pipeline.start();
writeSync(1, "ready\n");
await pipeline.run(input, runOptions); // the same in every process: a run that is there is given
await pipeline.close();
writeSync(1, "done\n");
