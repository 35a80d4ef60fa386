import type { AgentPart } from "./agent-part.types.js";
import type { LoopRun } from "./loop-run.types.js";
import type { PartSink } from "./part-sink.js";

/** Emits the texts of a run as events, and keeps them for the result of a run that is cancelled. */
export class EventSink implements PartSink {
  readonly #run: LoopRun;

  constructor(run: LoopRun) {
    this.#run = run;
  }

  show(part: AgentPart): void {
    const { events, ledger } = this.#run;
    if (part.type === "text") {
      ledger.heard.push(part.text);
      events.content({ text: part.text });
    } else if (part.type === "reasoning") events.content({ reasoning: part.text });
  }

  close(): void {}
}
