import { QuestionEvent, type WorkflowEvent } from "millrace";
import type { MessageWriter } from "./message-writer.js";

/** The data of a part `data-question`: a question of a run to a person. */
export interface QuestionData {
  /** Key of the answer: `sendMessage(undefined, { body: { answers: { [promptId]: fields } } })`. */
  readonly promptId: string;
  readonly title: string;
  /** What the step says besides; `null` for nothing. */
  readonly details: unknown;
  /** JSON Schema of the answer, for a form; `null` where it is not known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** `closed`: it was answered or withdrawn. */
  readonly status: "open" | "closed";
}

/** Questions to people that are no calls of tools, as data parts. */
export class Questions {
  readonly #writer: MessageWriter;
  readonly #open: Map<string, QuestionData> = new Map();

  constructor(writer: MessageWriter) {
    this.#writer = writer;
  }

  ask(promptId: string, event: WorkflowEvent): void {
    const data: QuestionData = { promptId, ...factsOf(event), status: "open" };
    this.#open.set(promptId, data);
    this.#writer.put({ type: "data-question", id: promptId, data });
  }

  /** Closes all but these. */
  close(open: ReadonlySet<string>): void {
    for (const [promptId, data] of this.#open) {
      if (open.has(promptId)) continue;
      this.#open.delete(promptId);
      this.#writer.put({ type: "data-question", id: promptId, data: { ...data, status: "closed" } });
    }
  }
}

function factsOf(event: WorkflowEvent): Pick<QuestionData, "title" | "details" | "schema"> {
  if (QuestionEvent.is(event)) return { title: event.title, details: event.details ?? null, schema: event.schema };
  return { title: event.type, details: event.toJSON(), schema: null };
}
