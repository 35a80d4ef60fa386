/**
 * Ids of tool calls that no other call of the conversation has. Some models use the same id for every call, or none; others refer to their
 * own ids in later answers. So only an id that repeats is renamed, before it is used.
 *
 * @module
 */
import { gateway, type LanguageModel, type ModelMessage, wrapLanguageModel } from "ai";

export type Model = ReturnType<typeof wrapLanguageModel>;
export type StreamPart =
  Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;
type Content = Awaited<ReturnType<Model["doGenerate"]>>["content"];

export class UniqueIds {
  readonly #taken: Set<string>;
  readonly #open = new Map<string, string>();
  readonly #place: string;
  #count = 0;

  /** @param place Unique in the conversation: renamed ids begin with it. */
  constructor(messages: readonly ModelMessage[], place: string) {
    this.#taken = new Set(messages.flatMap(callIdsIn));
    this.#place = place.replaceAll(/[^\w-]/g, "_"); // what providers take
  }

  inAnswer(content: Content): Content {
    return content.map((part) => (isOwnCall(part) ? { ...part, toolCallId: this.#end(part.toolCallId) } : part));
  }

  inPart(part: StreamPart): StreamPart {
    if (part.type === "tool-input-start" && part.providerExecuted !== true)
      return { ...part, id: this.#begin(part.id) };
    if (part.type === "tool-input-delta" || part.type === "tool-input-end")
      return { ...part, id: this.#open.get(part.id) ?? part.id };
    return isOwnCall(part) ? { ...part, toolCallId: this.#end(part.toolCallId) } : part;
  }

  #begin(id: string): string {
    const isFree = id !== "" && !this.#taken.has(id);
    const name = isFree ? id : this.#freeName();
    this.#taken.add(name);
    this.#open.set(id, name);
    return name;
  }

  #end(id: string): string {
    const name = this.#open.get(id) ?? this.#begin(id);
    this.#open.delete(id);
    return name;
  }

  #freeName(): string {
    let name = "";
    do name = `${this.#place}-${this.#count++}`;
    while (this.#taken.has(name));
    return name;
  }
}

/** A name of a model is resolved as the SDK does it. */
export function modelOf(model: LanguageModel): Exclude<LanguageModel, string> {
  if (typeof model !== "string") return model;
  const { AI_SDK_DEFAULT_PROVIDER: provider = gateway } = globalThis as {
    readonly AI_SDK_DEFAULT_PROVIDER?: { languageModel(name: string): Exclude<LanguageModel, string> };
  };
  return provider.languageModel(model);
}

/** The model whose calls get such ids. */
export function withUniqueIds(model: Exclude<LanguageModel, string>, ids: UniqueIds): Model {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: async ({ doGenerate }) => {
        const made = await doGenerate();
        return { ...made, content: ids.inAnswer(made.content) };
      },
      wrapStream: async ({ doStream }) => {
        const made = await doStream();
        return { ...made, stream: mapped(made.stream, (part) => ids.inPart(part)) };
      },
    },
  });
}

/** A `TransformStream` would take several times as long for each part. */
function mapped<Part>(stream: ReadableStream<Part>, map: (part: Part) => Part): ReadableStream<Part> {
  const reader = stream.getReader();
  const pull = async (target: ReadableStreamDefaultController<Part>): Promise<void> => {
    const { done, value } = await reader.read();
    if (done) target.close();
    else target.enqueue(map(value));
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

/** A call that the provider does not make itself. */
function isOwnCall<Part extends { readonly type: string }>(part: Part): part is Extract<Part, { type: "tool-call" }> {
  return part.type === "tool-call" && (part as { providerExecuted?: boolean }).providerExecuted !== true;
}

function callIdsIn({ role, content }: ModelMessage): string[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
}
