/**
 * The steps of a run, and those fields of its state that are shown, as events.
 *
 * They come from the ticks, beside the stream of the run: a step that works is one of `STEP_STARTED`, whatever it
 * streams.
 *
 * @module
 */
import { type Event, EventType } from "@ag-ui/core";
import type { RunHandle, RunMoment, Runtime } from "millrace/runtime";
import { afterMs } from "../system.js";
import { patchesOf, plain } from "./json.js";

export interface ProgressOf {
  readonly runtime: Runtime;
  readonly handle: RunHandle;
  /** Names of the fields of the state that are shown. */
  readonly show: readonly string[];
  /** `true`: steps that have ended before are left out. */
  readonly isJoined: boolean;
}

/** Milliseconds between two looks at a run. */
const restMs = 20;

export class Progress {
  readonly #of: ProgressOf;
  /** Steps at work. */
  readonly #steps: Set<string> = new Set();
  #events: Event[] = [];
  #looking: Promise<void> = Promise.resolve();
  /** Number of the last tick that was seen. */
  #seen = 0;
  /** The shown fields; `undefined` before the first look. */
  #state: unknown;

  constructor(of: ProgressOf) {
    this.#of = of;
  }

  /** What was seen since the last call. */
  take(): Event[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Looks whenever something has changed, until the signal aborts. */
  async *looks(signal: AbortSignal): AsyncGenerator<"looked"> {
    const { runtime, handle } = this.#of;
    let isDue = true;
    let wake = (): void => {};
    const look = (): void => {
      isDue = true;
      wake();
    };
    const unwatch = runtime.watch((run) => {
      if (run === null || (run.runId === handle.runId && run.tenant === handle.tenant)) look();
    });
    signal.addEventListener("abort", look);
    try {
      while (!signal.aborted) {
        isDue = false;
        await this.look();
        yield "looked";
        await new Promise<void>((resolve) => void afterMs(restMs, resolve));
        if (!isDue && !signal.aborted) await new Promise<void>((resolve) => void (wake = resolve));
      }
    } finally {
      unwatch();
      signal.removeEventListener("abort", look);
    }
  }

  /** One after the other. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { runtime, handle, isJoined } = this.#of;
    const { runId, tenant } = handle;
    const last = (await runtime.ticks(runId, { tenant }))?.last ?? 0;
    if (last === this.#seen) return;
    const ended = this.#seen === 0 && isJoined ? [] : await this.#ended(last);
    const moment = await runtime.at(runId, last, { tenant });
    this.#seen = last;
    this.#events.push(...ended.flatMap((step) => [...this.#start(step), ...this.#end(step)]), ...this.#now(moment));
  }

  /** Ends the steps that are at work, for a reader that hears no more of them. */
  close(): void {
    this.#events.push(...[...this.#steps].flatMap((step) => this.#end(step)));
  }

  /** Steps that have ended since the last look, also those that were never seen at work. */
  async #ended(last: number): Promise<string[]> {
    const { runtime, handle } = this.#of;
    const { runId, tenant } = handle;
    const steps: string[] = [];
    for await (const entry of runtime.history(runId, { tenant, after: this.#seen, before: last + 1, details: true })) {
      const { tick, step } = entry;
      const isEnd = tick.type === "step.completed" || (tick.type === "step.failed" && tick.retryAtMs === null);
      if (isEnd && step !== null && entry.runId === runId) steps.push(step);
    }
    return steps;
  }

  #now({ steps, state }: RunMoment): Event[] {
    const { runId } = this.#of.handle;
    const own = steps.filter((step) => step.runId === runId);
    const isAtWork = (step: (typeof own)[number]): boolean => step.running + step.waiting + step.retrying > 0;
    const atWork = new Set(own.filter(isAtWork).map(({ step }) => step));
    return [
      ...[...this.#steps].filter((step) => !atWork.has(step)).flatMap((step) => this.#end(step)),
      ...[...atWork].flatMap((step) => this.#start(step)),
      ...this.#shown(state),
    ];
  }

  #shown(state: unknown): Event[] {
    const { show } = this.#of;
    if (show.length === 0) return [];
    const fields = Object(state) as Record<string, unknown>;
    const named = show.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]);
    const next = plain(Object.fromEntries(named));
    const before = this.#state;
    this.#state = next;
    if (before === undefined) return [{ type: EventType.STATE_SNAPSHOT, snapshot: next }];
    const delta = patchesOf(before, next);
    return delta.length === 0 ? [] : [{ type: EventType.STATE_DELTA, delta }];
  }

  #start(stepName: string): Event[] {
    if (this.#steps.has(stepName)) return [];
    this.#steps.add(stepName);
    return [{ type: EventType.STEP_STARTED, stepName }];
  }

  #end(stepName: string): Event[] {
    return this.#steps.delete(stepName) ? [{ type: EventType.STEP_FINISHED, stepName }] : [];
  }
}
