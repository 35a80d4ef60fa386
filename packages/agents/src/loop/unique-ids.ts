/**
 * Ids of tool calls that no other call of the conversation has. Some models give every call the same id, or none; others refer to their
 * own ids in later answers. So only an id that repeats gets another name.
 *
 * @module
 */
import type { AssistantModelMessage, ModelMessage } from "ai";

export class UniqueIds {
  readonly #taken: Set<string>;
  readonly #open = new Map<string, string>();
  readonly #called: string[] = [];
  readonly #place: string;
  #count = 0;

  /** @param place Unique in the conversation: renamed ids begin with it. */
  constructor(messages: readonly ModelMessage[], place: string) {
    this.#taken = new Set(messages.flatMap(callIdsIn));
    this.#place = place.replaceAll(/[^\w-]/g, "_"); // what providers take
  }

  /** The model begins a call. */
  begin(id: string): string {
    const isFree = id !== "" && !this.#taken.has(id);
    const name = isFree ? id : this.#freeName();
    this.#taken.add(name);
    this.#open.set(id, name);
    return name;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** The name of the call that the model is writing under this id. */
  current(id: string): string {
    return this.#open.get(id) ?? this.begin(id);
  }

  /** The model has written the call. */
  end(id: string): string {
    const name = this.current(id);
    this.#open.delete(id);
    this.#called.push(name);
    return name;
  }

  /** The messages of an answer, with the names that its calls have got, in their order. */
  renamed(messages: readonly AssistantModelMessage[]): AssistantModelMessage[] {
    let next = 0;
    return messages.map((message) => {
      if (typeof message.content === "string") return message;
      const content = message.content.map((part) => {
        if (part.type !== "tool-call" || part.providerExecuted === true) return part;
        const toolCallId = this.#called[next++] ?? this.end(part.toolCallId);
        return { ...part, toolCallId };
      });
      return { ...message, content };
    });
  }

  #freeName(): string {
    let name = "";
    do name = `${this.#place}-${this.#count++}`;
    while (this.#taken.has(name));
    return name;
  }
}

function callIdsIn({ role, content }: ModelMessage): string[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
}
