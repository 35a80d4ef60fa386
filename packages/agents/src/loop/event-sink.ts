import type { EffectCall, WorkflowError } from "millrace";
import type { AgentPart } from "millrace/wire";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { LoopRun } from "./loop-run.types.js";
import type { PartSink } from "./part-sink.js";
import { executionOf, type ToolRecord } from "./tool-record.js";

const longMs = 60_000;

/**
 * Makes the events of a run from the parts of its calls, and keeps its texts for the result of a run that is cancelled.
 */
export class EventSink implements PartSink {
  readonly #run: LoopRun;
  readonly #attempt: number;
  readonly #made: ModelToolCall | undefined;
  #hasShown = false;
  #partial: unknown;

  /** @param made The call of a tool; left out for a call of a model. */
  constructor(run: LoopRun, { attempt }: EffectCall, made?: ModelToolCall) {
    this.#run = run;
    this.#attempt = attempt;
    this.#made = made;
  }

  begin(): void {
    const { events } = this.#run;
    events.begin(false);
    if (this.#made !== undefined && this.#attempt === 1) events.toolStarted(this.#made);
  }

  show(part: AgentPart): void {
    const { events, ledger } = this.#run;
    events.begin(part.type === "agent");
    if (part.type === "text") {
      this.#hasShown = true;
      ledger.heard.push(part.text);
      events.content({ text: part.text, partial: this.#partial });
      this.#partial = undefined;
    } else if (part.type === "reasoning") {
      this.#hasShown = true;
      events.content({ reasoning: part.text });
    }
  }

  end(_toolCallId: string, record: ToolRecord): void {
    const { events } = this.#run;
    events.begin(false);
    if (this.#made !== undefined) events.toolEnded(executionOf(this.#made, record));
  }

  takePartial(output: unknown): void {
    this.#partial = output;
  }

  /** Events cannot be retracted, and the caller of a run in memory decides about long delays. */
  isFinal({ retryAfterMs = 0 }: WorkflowError): boolean {
    return this.#hasShown || retryAfterMs >= longMs;
  }

  close(): void {}
}
