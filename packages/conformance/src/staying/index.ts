/**
 * A process stays while a promise of its runtime is open, over every store.
 *
 * @module
 */
import { describe, expect, it } from "vitest";
import type { ScriptProcess } from "../processes/index.js";
import { endNames, waitNames } from "./wait-elsewhere.js";

/** Runs a script that calls `waitElsewhere` of `@millrace/conformance/waiting` with that name, over a new, empty store. */
export type StartWaiting = (name: string) => ScriptProcess;

/** @param holds `true`: the store has connections that keep the process alive until it is closed. */
export function stayingSuite(store: string, start: StartWaiting, { holds = false } = {}): void {
  describe(`${store}: a process that executes nothing`, () => {
    it.for(waitNames)("stays alive until its promise is settled: %s", async (name) => {
      await expect(start(name).rest()).resolves.toEqual([name]);
    });

    it.runIf(!holds).for(endNames)("ends by itself after %s", async (name) => {
      await expect(start(name).rest()).resolves.toEqual([name]);
    });
  });
}
