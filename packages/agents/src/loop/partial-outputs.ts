import { type DeepPartial, parsePartialJson } from "ai";
import { PieceReader, PiecesEvent, type StreamedEvent } from "millrace";

/** The partial output of an agent with an output schema. */
export interface PartialOutput<Output = unknown> {
  /** The model call, as in a `PiecesEvent`. */
  readonly call: string;
  /** The work item that has made it: calls of different ones have the same ids. */
  readonly writer: string;
  /** Increases when the call is repeated: earlier outputs are then void. */
  readonly attempt: number;
  /** Length of the text so far. */
  readonly at: number;
  /** Not checked by the schema: fields may be missing, and texts may grow. */
  readonly output: DeepPartial<Output>;
}

interface Answer {
  readonly text: string;
  /** What was given last, as JSON. */
  readonly given: string;
}

/**
 * The objects that answers are going to be, read from the stream of a run: each time one has grown.
 *
 * @example
 * for await (const { output } of partialOutputs<Recipe>(run.streamEvents())) render(output.steps ?? []);
 */
export async function* partialOutputs<Output = unknown>(
  events: AsyncIterable<Pick<StreamedEvent, "event" | "writer">>,
): AsyncGenerator<PartialOutput<Output>, void, undefined> {
  const reader = new PieceReader();
  const answers = new Map<string, Answer>();
  for await (const { event, writer = "" } of events) {
    const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
    if (news === null) continue;
    const { call, attempt, at: position, pieces } = news;
    const place = `${writer} ${call}`;
    const before = position === 0 ? undefined : answers.get(place);
    const text = (before?.text ?? "") + textOf(pieces);
    const output = text === before?.text ? undefined : (await parsePartialJson(text)).value;
    const json = output === undefined ? "" : JSON.stringify(output);
    const isNews = typeof output === "object" && json !== before?.given;
    answers.set(place, { text, given: isNews ? json : (before?.given ?? "") });
    if (isNews) yield { call, writer, attempt, at: text.length, output: output as DeepPartial<Output> };
  }
}

function textOf(pieces: readonly (string | Readonly<Record<string, unknown>>)[]): string {
  return pieces
    .map((piece) => (typeof piece !== "string" && piece["type"] === "text" ? String(piece["text"]) : ""))
    .join("");
}
