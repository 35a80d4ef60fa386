/** How runs of the kept workflow are played: by the script that writes the files, and by the test that reads them. */
import type { RunOutcome } from "millrace";
import type { Clock } from "millrace/engine";
import type { RunHandle } from "millrace/runtime";

export const startMs: number = Date.UTC(2030, 0, 1);

/** Time that moves by jumps; what is due already happens in the next turn of the host. */
export class JumpClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<{ readonly atMs: number; readonly wake: () => void }>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(atMs: number, wake: () => void): () => void {
    if (atMs <= this.#nowMs) {
      const turn = setImmediate(wake);
      return () => clearImmediate(turn);
    }
    const timer = { atMs, wake };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  jumpTo(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
    for (const timer of this.#timers) {
      if (timer.atMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.wake();
    }
  }
}

/** The large text of the first part, by a short name. */
export const large: string = "large ".repeat(12_000);
export const shortened = (sql: string): string => sql.replaceAll(large, "@large@");
export const lengthened = (sql: string): string => sql.replaceAll("@large@", large);

/** Answers what is asked and lets time pass, until the run has ended. */
export async function answerAll(run: RunHandle<unknown>, clock: JumpClock): Promise<RunOutcome> {
  for (;;) {
    const outcome = await run.idle();
    if (outcome.status !== "waiting") return outcome;
    const [prompt] = outcome.prompts;
    if (prompt) await run.answer(prompt.promptId, { text: `said to ${(prompt.event as unknown as { of: string }).of}` });
    else if (outcome.wakeAtMs !== null) clock.jumpTo(outcome.wakeAtMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
