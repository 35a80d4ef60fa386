import type { WorkflowError } from "millrace";
import type { AgentPart } from "./agent-part.types.js";
import type { LoopRun } from "./loop-run.types.js";
import type { PartSink } from "./part-sink.js";

const longMs = 60_000;

/** Emits the texts of a run as events, and keeps them for the result of a run that is cancelled. */
export class EventSink implements PartSink {
  readonly #run: LoopRun;
  #hasShown = false;
  #partial: unknown;

  constructor(run: LoopRun) {
    this.#run = run;
  }

  show(part: AgentPart): void {
    const { events, ledger } = this.#run;
    this.#hasShown ||= part.type === "text" || part.type === "reasoning";
    if (part.type === "text") {
      ledger.heard.push(part.text);
      events.content({ text: part.text, partial: this.#partial });
      this.#partial = undefined;
    } else if (part.type === "reasoning") events.content({ reasoning: part.text });
  }

  takePartial(output: unknown): void {
    this.#partial = output;
  }

  /** Events are not taken back, and whoever asked for a run in memory decides about long delays. */
  isFinal({ retryAfterMs = 0 }: WorkflowError): boolean {
    return this.#hasShown || retryAfterMs >= longMs;
  }

  close(): void {}
}
