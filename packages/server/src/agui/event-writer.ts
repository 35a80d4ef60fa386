/**
 * The events of one answer: opens and closes its texts, calls and sub-agents, so that every order of what a run shows
 * becomes an order that clients accept.
 *
 * @module
 */
import { type Event, EventType, type Message } from "@ag-ui/core";
import { MessageList, present } from "./message-list.js";

/** What a text, a call or an activity belongs to. What it has shown is taken back together. */
export interface Owner {
  readonly id: string;
  /** The sub-agent that it works for. */
  readonly subagentRunId?: string | undefined;
}

export interface Subagent {
  readonly id: string;
  readonly name: string;
  readonly parentSubagentRunId?: string | undefined;
  readonly parentToolCallId?: string | undefined;
}

interface OpenText {
  readonly kind: "text" | "reasoning";
  readonly messageId: string;
  readonly owner: Owner;
}

interface ToolStart {
  readonly toolCallId: string;
  readonly toolCallName: string;
  readonly parentMessageId: string;
}

export class EventWriter {
  readonly list: MessageList;
  #events: Event[] = [];
  /** The open text of each owner. */
  readonly #texts: Map<string, OpenText> = new Map();
  readonly #calls: Map<string, ToolStart & { readonly owner: Owner }> = new Map();
  readonly #subagents: Map<string, Subagent> = new Map();
  /** Sub-agents that have ended: their ids cannot begin again. */
  readonly #ended: Set<string> = new Set();
  /** Ids of the messages of each owner. */
  readonly #messages: Map<string, Set<string>> = new Map();

  constructor(before: readonly Message[]) {
    this.list = new MessageList(before);
  }

  /** What was written since the last call. */
  take(): Event[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  put(event: Event): void {
    this.list.apply(event);
    this.#events.push(event);
  }

  /** For readers that have it already. */
  note(event: Event): void {
    this.list.apply(event);
  }

  text(owner: Owner, { kind, messageId }: Omit<OpenText, "owner">, delta: string): void {
    const open = this.#texts.get(owner.id);
    if (open?.messageId !== messageId || open.kind !== kind) {
      this.endText(owner);
      this.#openText({ kind, messageId, owner });
      this.#own(owner, messageId);
    }
    const by = bySubagent(owner);
    const type = kind === "text" ? EventType.TEXT_MESSAGE_CONTENT : EventType.REASONING_MESSAGE_CONTENT;
    if (delta !== "") this.put({ type, messageId, delta, ...by } as Event);
  }

  endText({ id }: Owner): void {
    const open = this.#texts.get(id);
    if (open === undefined) return;
    this.#texts.delete(id);
    const { messageId, owner, kind } = open;
    const by = bySubagent(owner);
    if (kind === "text") return this.put({ type: EventType.TEXT_MESSAGE_END, messageId, ...by });
    this.put({ type: EventType.REASONING_MESSAGE_END, messageId, ...by });
    this.put({ type: EventType.REASONING_END, messageId, ...by });
  }

  /** `true` while the arguments of the call are written. */
  isOpen(toolCallId: string): boolean {
    return this.#calls.has(toolCallId);
  }

  startCall(owner: Owner, start: ToolStart): void {
    this.endText(owner);
    this.#own(owner, start.parentMessageId);
    this.#calls.set(start.toolCallId, { ...start, owner });
    this.put({ type: EventType.TOOL_CALL_START, ...start, ...bySubagent(owner) });
  }

  endCall(toolCallId: string): void {
    const open = this.#calls.get(toolCallId);
    if (!this.#calls.delete(toolCallId) || open === undefined) return;
    this.put({ type: EventType.TOOL_CALL_END, toolCallId, ...bySubagent(open.owner) });
  }

  activity(owner: Owner, messageId: string, { activityType, content }: ShownActivity): void {
    this.endText(owner);
    this.#own(owner, messageId);
    this.put({ type: EventType.ACTIVITY_SNAPSHOT, messageId, activityType, content, ...bySubagent(owner) });
  }

  /** Announces a sub-agent, if it is not at work. */
  startSubagent(subagent: Subagent): void {
    if (this.#subagents.has(subagent.id) || this.#ended.has(subagent.id)) return;
    this.#subagents.set(subagent.id, subagent);
    this.#announce(subagent);
  }

  endSubagent(id: string, interruptIds?: readonly string[]): void {
    if (!this.#subagents.delete(id)) return;
    this.#ended.add(id);
    const outcome = interruptIds && { type: "suspended" as const, interruptIds: [...interruptIds] };
    this.put({ type: EventType.SUBAGENT_FINISHED, subagentRunId: id, ...present({ outcome }) });
  }

  /** Ids of those that have shown something. */
  get owners(): readonly string[] {
    return [...this.#messages.keys()];
  }

  /** The sub-agents at work, those of sub-agents after them. */
  get subagents(): readonly string[] {
    return [...this.#subagents.keys()];
  }

  /** Removes what the owner has shown. */
  takeBack(owner: Owner): void {
    this.#close((one) => one.id === owner.id);
    const ids = this.#messages.get(owner.id);
    this.#messages.delete(owner.id);
    if (ids === undefined) return;
    this.list.remove(ids);
    this.replaceWith(this.list.all);
  }

  /** The client gets these messages in the place of what it has. */
  replaceWith(given: readonly Message[]): void {
    const messages = [...given];
    // Without the list of types, clients keep activities that are not in it.
    const metadata = { "@ag-ui/client": { authoritativeActivityTypes: null } };
    this.put({ type: EventType.MESSAGES_SNAPSHOT, messages, metadata });
  }

  /** Begins again what is under way, for a reader that has heard nothing of it. */
  reopen(): void {
    for (const subagent of this.#subagents.values()) this.#announce(subagent);
    for (const open of this.#texts.values()) this.#openText(open);
    for (const { owner, ...start } of this.#calls.values())
      this.put({ type: EventType.TOOL_CALL_START, ...start, ...bySubagent(owner) });
  }

  closeAll(): void {
    this.#close(() => true);
  }

  #close(isMeant: (owner: Owner) => boolean): void {
    for (const { owner } of [...this.#texts.values()]) if (isMeant(owner)) this.endText(owner);
    for (const [id, { owner }] of [...this.#calls]) if (isMeant(owner)) this.endCall(id);
  }

  #openText({ kind, messageId, owner }: OpenText): void {
    this.#texts.set(owner.id, { kind, messageId, owner });
    const by = bySubagent(owner);
    if (kind === "text") return this.put({ type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant", ...by });
    this.put({ type: EventType.REASONING_START, messageId, ...by });
    this.put({ type: EventType.REASONING_MESSAGE_START, messageId, role: "reasoning", ...by });
  }

  #announce({ id, name, ...parents }: Subagent): void {
    this.put({ type: EventType.SUBAGENT_STARTED, subagentRunId: id, name, ...present(parents) });
  }

  #own({ id }: Owner, messageId: string): void {
    const known = this.#messages.get(id) ?? new Set();
    this.#messages.set(id, known.add(messageId));
  }
}

/** An `ACTIVITY_SNAPSHOT`. */
export interface ShownActivity {
  readonly activityType: string;
  readonly content: Record<string, unknown>;
}

const bySubagent = ({ subagentRunId }: Owner): { subagentRunId?: string } => present({ subagentRunId });
