/**
 * Texts among the events of a stream: words of models and of steps of pipelines as they come, instead of one event for each piece.
 *
 * @module
 */

/** What a person reads of an event: text that goes on, a line of its own, or nothing. `null` for events of the user. */
export type ReadEvent = { readonly text: string } | { readonly line: string } | "nothing" | null;

export function readEvent(event: { readonly type: string; readonly [field: string]: unknown }): ReadEvent {
  if (event.type === "pipeline.shown") return ofPipeline(event);
  if (printedElsewhere.has(event.type)) return "nothing";
  if (event.type === "millrace.pieces") return ofPieces(event["pieces"]);
  return null;
}

/** Ends of runs and questions have lines of their own, and a step that starts over has its attempt beside it. */
const printedElsewhere: ReadonlySet<string> = new Set([
  "StopEvent",
  "WorkflowFailedEvent",
  "WorkflowTimedOutEvent",
  "WorkflowCancelledEvent",
  "StepRestartedEvent",
  "millrace.question",
]);

type Fields = Readonly<Record<string, unknown>>;

function ofPipeline({ name, data, output }: Fields): ReadEvent {
  const { content } = fieldsOf(data);
  if (name === "RunContent" && typeof content === "string") return { text: content };
  const { function: of, stepName = of, content: made } = fieldsOf(output);
  if (typeof stepName !== "string" || made === undefined) return "nothing";
  return { line: `${stepName}: ${typeof made === "string" ? made : JSON.stringify(made)}` };
}

function ofPieces(pieces: unknown): ReadEvent {
  const parts = Array.isArray(pieces) ? pieces.map(fieldsOf) : [];
  const isOfAgent = parts.every(({ type }) => typeof type === "string");
  if (!isOfAgent) return null;
  const text = parts.map(({ type, text: said }) => (type === "text" ? String(said) : "")).join("");
  if (text !== "") return { text };
  const call = parts.find(({ type }) => type === "tool-call");
  return call === undefined
    ? "nothing"
    : { line: `calls ${String(call["toolName"])} ${JSON.stringify(call["input"])}` };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Prints a text line by line, as its lines become whole. */
export class TextLines {
  readonly #print: (line: string) => void;
  #open = "";

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  push(text: string): void {
    const lines = `${this.#open}${text}`.split("\n");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#print(line);
  }

  /** Prints the line that is not whole. */
  flush(): void {
    if (this.#open !== "") this.#print(this.#open);
    this.#open = "";
  }
}
