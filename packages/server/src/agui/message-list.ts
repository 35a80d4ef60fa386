/** The messages that the events of a run build, as a client builds them. */
import {
  type ActivityMessage,
  type AssistantMessage,
  type Event,
  EventType,
  type Message,
  type ReasoningMessage,
} from "@ag-ui/core";

export class MessageList {
  #messages: Message[];

  constructor(before: readonly Message[]) {
    this.#messages = [...before];
  }

  get all(): readonly Message[] {
    return this.#messages;
  }

  apply(event: Event): void {
    switch (event.type) {
      case EventType.TEXT_MESSAGE_START: {
        const { messageId: id, role = "assistant", name, subagentRunId } = event;
        return this.#add({ id, role, content: "", ...present({ name, subagentRunId }) });
      }
      case EventType.REASONING_MESSAGE_START:
        return this.#add({
          id: event.messageId,
          role: "reasoning",
          content: "",
          ...present({ subagentRunId: event.subagentRunId }),
        });
      case EventType.TEXT_MESSAGE_CONTENT:
      case EventType.REASONING_MESSAGE_CONTENT:
        return this.#change(event.messageId, (message) => ({
          ...message,
          content: `${message.content}${event.delta}`,
        }));
      case EventType.TOOL_CALL_START:
        return this.#addCall(event);
      case EventType.TOOL_CALL_ARGS:
        return this.#addArguments(event.toolCallId, event.delta);
      case EventType.TOOL_CALL_RESULT:
        return this.#addResult(event);
      case EventType.ACTIVITY_SNAPSHOT:
        return this.#addActivity(event);
    }
  }

  /** Removes messages, and the results of the calls that they hold. */
  remove(ids: ReadonlySet<string>): void {
    const calls = this.#messages.flatMap((message) =>
      ids.has(message.id) && message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    );
    const left = this.#messages.filter(
      (message) => !ids.has(message.id) && !(message.role === "tool" && calls.includes(message.toolCallId)),
    );
    // Clients keep their reasoning when a snapshot has none.
    const reasoning = left.some(isReasoning) ? undefined : this.#messages.find(isReasoning);
    this.#messages = reasoning === undefined ? left : [...left, { ...reasoning, content: "" }];
  }

  #add(message: Message): void {
    if (this.#messages.every(({ id }) => id !== message.id)) this.#messages.push(message);
  }

  #change(id: string, change: (message: Message) => object): void {
    const at = this.#messages.findIndex((message) => message.id === id);
    const message = this.#messages[at];
    if (message !== undefined) this.#messages[at] = change(message) as Message;
  }

  #addCall(event: Extract<Event, { type: EventType.TOOL_CALL_START }>): void {
    const { toolCallId: id, toolCallName: name, parentMessageId = id, subagentRunId } = event;
    this.#add({ id: parentMessageId, role: "assistant", toolCalls: [], ...present({ subagentRunId }) });
    const call = { id, type: "function" as const, function: { name, arguments: "" } };
    if (this.#ownerOf(id) === undefined)
      this.#change(parentMessageId, (message) => ({
        ...message,
        toolCalls: [...((message as AssistantMessage).toolCalls ?? []), call],
      }));
  }

  #addArguments(toolCallId: string, delta: string): void {
    const owner = this.#ownerOf(toolCallId);
    if (owner === undefined) return;
    const toolCalls = owner.toolCalls?.map((call) => {
      if (call.id !== toolCallId) return call;
      return { ...call, function: { ...call.function, arguments: call.function.arguments + delta } };
    });
    this.#change(owner.id, (message) => ({ ...message, toolCalls }));
  }

  /** A result stands behind the message with its call, and the results that are there. */
  #addResult(event: Extract<Event, { type: EventType.TOOL_CALL_RESULT }>): void {
    const { messageId: id, toolCallId, content, subagentRunId } = event;
    const owner = this.#ownerOf(toolCallId);
    let at = owner === undefined ? this.#messages.length : this.#messages.indexOf(owner) + 1;
    while (owner !== undefined && this.#messages[at]?.role === "tool") at++;
    this.#messages.splice(at, 0, { id, toolCallId, role: "tool", content, ...present({ subagentRunId }) });
  }

  #addActivity(event: Extract<Event, { type: EventType.ACTIVITY_SNAPSHOT }>): void {
    const { messageId: id, activityType, content, subagentRunId } = event;
    const message: ActivityMessage = { id, role: "activity", activityType, content, ...present({ subagentRunId }) };
    this.#add(message);
    this.#change(id, () => message);
  }

  #ownerOf(toolCallId: string): AssistantMessage | undefined {
    return this.#messages.find(
      (message): message is AssistantMessage =>
        message.role === "assistant" && message.toolCalls?.some(({ id }) => id === toolCallId) === true,
    );
  }
}

const isReasoning = (message: Message): message is ReasoningMessage => message.role === "reasoning";

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without the fields that are undefined. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}
