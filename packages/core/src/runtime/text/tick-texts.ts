/** The texts of ticks that are in no commit yet. */

import type { CompiledWorkflow, Tick } from "../../host.js";
import { tickText, tickTooLong } from "./journal-text.js";

interface TextOptions {
  readonly compiled: CompiledWorkflow;
  /** In UTF-16 code units. @default no limit */
  readonly maxLength: number | undefined;
}

export class TickTexts {
  readonly #texts: Map<Tick, { readonly atMs: number; readonly text: string }> = new Map();

  /**
   * Makes the text of a tick; again, if its time has changed. Returns `false` where nothing was to be done.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when it cannot be stored, or is too long.
   */
  prepare(tick: Tick, { compiled, maxLength = Number.POSITIVE_INFINITY }: TextOptions): boolean {
    if (this.#texts.get(tick)?.atMs === tick.atMs) return false;
    const text = tickText(tick, compiled);
    if (text.length > maxLength && isOfUserCode(tick)) throw tickTooLong(tick, text.length, maxLength);
    this.#texts.set(tick, { atMs: tick.atMs, text });
    return true;
  }

  /** The text of a tick that was prepared; the tick goes into a commit. */
  take(tick: Tick): string {
    const { text } = this.#texts.get(tick) as { readonly text: string };
    this.#texts.delete(tick);
    return text;
  }
}

/** Whether user code can get an error for a tick that is too long: ticks from outside or from a child were accepted before. */
function isOfUserCode(tick: Tick): boolean {
  return "item" in tick && tick.item !== null && tick.type !== "child.closed" && tick.type !== "step.failed";
}
