/**
 * Follows a run until it has ended or waits for other people: its steps as a tree, its events, and its
 * prompts as questions.
 *
 * @module
 */
import type { ClientRun, RunOutcome } from "@millrace/client";
import { cut, durationText, valueText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import type { Target } from "../target/target.types.js";
import { LiveRegion } from "./live-region.js";
import { answerPrompt, type OpenPrompt, openPrompts } from "./open-prompts.js";
import { readEvent, TextLines } from "./shown-text.js";
import { feedSteps } from "./step-feed.js";
import { itemText, type StepChange, StepTree } from "./step-tree.js";

export interface FollowSetup {
  readonly target: Target;
  readonly run: ClientRun;
  /** Only events behind this one are shown. */
  readonly after: number;
  /** Starts or continues the run, once it is being followed. */
  readonly bring?: (() => Promise<void>) | undefined;
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Somebody is at the terminal who can answer. */
  readonly asks: boolean;
  /** Leaves the run: as Ctrl-C does in the middle of a question. */
  readonly leave: () => void;
}

interface ShownEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Begin before the run is started here: then nothing is missed. */
export class Follower {
  readonly #terminal: Terminal;
  readonly #setup: FollowSetup;
  readonly #tree: StepTree;
  readonly #region: LiveRegion;

  constructor(terminal: Terminal, setup: FollowSetup) {
    this.#terminal = terminal;
    this.#setup = setup;
    this.#tree = new StepTree(setup.run.handlerId);
    this.#region = new LiveRegion(terminal, (frame) => this.#tree.lines(Date.now(), frame));
  }

  async follow(): Promise<RunOutcome> {
    const { target, run, signal } = this.#setup;
    const tree = this.#tree;
    const stopFeed = feedSteps(target, run.handlerId, {
      has: (runId) => tree.has(runId),
      add: (child) => tree.add(child),
      change: (change) => this.#onChange(change),
    });
    try {
      await this.#setup.bring?.();
    } catch (error) {
      await stopFeed();
      throw error;
    }
    this.#region.start();
    const events = this.#showEvents();
    events.catch(() => {}); // its error is that of the run, or of the signal
    try {
      return await Promise.race([this.#toEnd(events), aborted(signal)]);
    } finally {
      await stopFeed();
      this.#region.stop();
      signal.throwIfAborted();
    }
  }

  async #toEnd(events: Promise<void>): Promise<RunOutcome> {
    const outcome = await this.#untilIdle();
    // A waiting run shows no more events: the last ones came with its prompts.
    if (outcome.status !== "waiting") await events;
    return outcome;
  }

  async #untilIdle(): Promise<RunOutcome> {
    const { run, signal, target, asks } = this.#setup;
    await run.accepted;
    for (;;) {
      const outcome = await run.idle({ signal });
      if (outcome.status !== "waiting") return outcome;
      const prompts = await openPrompts(target, run.handlerId);
      if (asks && prompts.length > 0) await this.#ask(prompts);
      else if (outcome.wakeAtMs === null) return outcome;
      else await this.#untilWoken(outcome.updatedAtMs);
    }
  }

  /** A run that waits for a time continues by itself. */
  async #untilWoken(sinceMs: number): Promise<void> {
    const { run, signal } = this.#setup;
    const { setTimeout: delay } = await import("node:timers/promises");
    for (;;) {
      await delay(200, undefined, { signal });
      const now = await run.summary({ signal });
      if (now.status !== "waiting" || now.updatedAtMs !== sinceMs) return;
    }
  }

  async #ask(prompts: readonly OpenPrompt[]): Promise<void> {
    this.#region.stop();
    for (const prompt of prompts) {
      if ((await answerPrompt(this.#terminal, this.#setup.run, prompt)) === "left") {
        this.#setup.leave();
        this.#setup.signal.throwIfAborted();
      }
    }
    this.#region.start();
  }

  async #showEvents(): Promise<void> {
    const { run, signal, after } = this.#setup;
    await run.accepted;
    const lines = new TextLines((line) => this.#region.print(cut(line, this.#terminal.columns)));
    for await (const { sequence, event, origin, promptId, writer, call } of run.stream({ after, signal })) {
      if (this.#terminal.isJson)
        this.#terminal.json({ type: "event", sequence, origin, prompt_id: promptId, writer, call, event });
      else this.#showEvent(event as ShownEvent, { origin, lines });
    }
    lines.flush();
  }

  #showEvent(
    event: ShownEvent,
    { origin, lines }: { readonly origin: string | null; readonly lines: TextLines },
  ): void {
    const read = readEvent(event);
    if (read === "nothing") return;
    if (read !== null && "text" in read) return lines.push(read.text);
    lines.flush();
    const { paint, columns } = this.#terminal;
    const arrow = paint.call(this.#terminal, "cyan", "›");
    if (read !== null) return this.#region.print(`${arrow} ${cut(read.line, Math.max(20, columns - 2))}`);
    const { type, ...fields } = event;
    const from = origin === null ? "" : ` of ${origin}`;
    const room = Math.max(20, columns - type.length - 6);
    this.#region.print(
      `${arrow} ${cut(type, 60)}${from} ${paint.call(this.#terminal, "dim", valueText(fields, room))}`,
    );
  }

  #onChange(change: StepChange): void {
    this.#tree.change(change);
    const { isJson, isLive } = this.#terminal;
    if (isJson) {
      const { runId, step, item, attempt, status, atMs, elapsedMs, note } = change;
      this.#terminal.json({
        type: "step",
        ...wired({ runId, step, item, attempt, status, atMs, elapsedMs, note }),
      });
    } else if (!isLive && change.status !== "running") {
      const status = change.status === "completed" ? "completed  " : "";
      this.#terminal.line(`${change.step}  ${status}${itemText(change, change.atMs)}`);
    }
  }
}

/** A server in this process hears of no connection that is closed, so the calls themselves do not end with the signal. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** How it ended, or what it waits for, in one line. */
export function outcomeLine(terminal: Terminal, outcome: RunOutcome): string {
  const { startedAtMs, updatedAtMs } = outcome;
  const time = durationText(updatedAtMs - startedAtMs);
  switch (outcome.status) {
    case "completed":
      return `${terminal.paint("green", "completed")} after ${time}`;
    case "waiting":
      return `${terminal.paint("yellow", "waiting")} for an answer or an event`;
    default:
      return `${terminal.paint("red", outcome.status)}  ${outcome.error.code}: ${outcome.error.message}`;
  }
}
