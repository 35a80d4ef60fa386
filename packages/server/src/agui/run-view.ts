/**
 * The stream of a run as the events of one answer.
 *
 * Equal events of the run make equal messages for every reader at any time: no clock, no chance, nothing from outside
 * of the stream.
 *
 * @module
 */
import { EventType, type Message } from "@ag-ui/core";
import {
  type PendingPrompt,
  StepRestartedEvent,
  type StreamedEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "millrace";
import { roleOf } from "millrace/engine";
import type { AgentPart } from "millrace/wire";
import { AgentCalls, type CallsView, type ShownCall } from "../shown/agent-calls.js";
import { agentQuestion, resultText, timedOut } from "../shown/run-facts.js";
import { CallMessages } from "./call-messages.js";
import { EventWriter, type Owner, type ShownActivity } from "./event-writer.js";
import type { AskedCall } from "./interrupts.js";
import { plain } from "./json.js";
import { ShownTools } from "./shown-tools.js";
import { Subagents } from "./subagents.js";

/** A `CUSTOM` event. */
export interface ShownCustom {
  readonly name: string;
  readonly value: unknown;
}

/**
 * What an event of a workflow shows: text that continues the text before it, an activity, a custom event; nothing:
 * `undefined`. Activities of one `id` replace each other.
 */
export type ShowEvent = (
  streamed: StreamedEvent,
) => string | (ShownActivity & { readonly id?: string }) | ShownCustom | undefined;

export interface RunViewOptions {
  readonly runId: string;
  /** Number of the turn, so that ids of calls do not repeat in the thread. */
  readonly turn: number;
  /** Messages before the answer. */
  readonly before: readonly Message[];
  readonly map: ShowEvent | undefined;
  /** Calls whose result the client has itself: it gets no event for it. */
  readonly answered: ReadonlySet<string>;
}

/** How the run has ended. */
export type RunEnd =
  | { readonly type: "success"; readonly result: unknown }
  | { readonly type: "cancelled" }
  | { readonly type: "error"; readonly error: unknown };

export class RunView implements CallsView {
  readonly writer: EventWriter;
  readonly calls: AgentCalls = new AgentCalls(this);
  readonly #options: RunViewOptions;
  readonly #tools: ShownTools;
  readonly #subagents: Subagents;
  readonly #messages: CallMessages;
  #hasText = false;
  #agent: string | null = null;
  /** `null` while the run has not ended. */
  end: RunEnd | null = null;

  constructor(options: RunViewOptions) {
    this.#options = options;
    this.writer = new EventWriter(options.before);
    this.#messages = new CallMessages(options.runId);
    this.#tools = new ShownTools(this.writer, options);
    this.#subagents = new Subagents(this.writer, options.runId);
  }

  take(streamed: StreamedEvent): void {
    const { event, writer, promptId, origin } = streamed;
    if (origin !== null && promptId === null) this.#subagents.ofChild(streamed);
    if (this.calls.take(streamed)) return;
    if (StepRestartedEvent.is(event)) this.#restart(event, writer);
    else if (origin !== null && isEnd(event)) this.#subagents.endChild(streamed);
    else if (promptId === null && (origin !== null || !this.#end(event))) this.#showMapped(streamed);
  }

  /** The call that a prompt is about; `null` if it is about none. */
  callOf({ event }: PendingPrompt): AskedCall | null {
    const question = agentQuestion(event);
    return question === null ? null : this.#tools.asked(question.id);
  }

  takeBack(call: ShownCall): void {
    this.#tools.forget(call);
    this.#messages.forget(call);
    this.writer.takeBack(this.#ownerOf(call));
  }

  settle(toolCallId: string, output: unknown, by: ShownCall): void {
    const shown = this.#tools.idOf(by, this.#path(by, toolCallId));
    this.#tools.result(shown, output);
    this.#subagents.endOf(shown);
  }

  show(call: ShownCall, part: AgentPart): void {
    this.#subagents.ofMember(call, {
      name: part.type === "agent" ? part.name : null,
      toolCallId: this.#tools.shownAt(this.calls.pathOf(call).join("/")),
    });
    const owner = this.#ownerOf(call);
    switch (part.type) {
      case "agent":
        return this.#showAgent(call, part.name);
      case "text":
      case "reasoning":
        return this.#showText(call, owner, part);
      case "file":
        return this.#custom(owner, "file", { mediaType: part.mediaType, base64: part.base64 });
      case "source":
        return this.#custom(owner, "source", { id: part.id, url: part.url, title: part.title ?? null });
      case "end":
        return this.writer.endText(owner);
      default:
        return this.#showTool(call, owner, part);
    }
  }

  #showTool(call: ShownCall, owner: Owner, part: Extract<AgentPart, { readonly toolCallId: string }>): void {
    const id = this.#tools.idOf(call, this.#path(call, part.toolCallId));
    switch (part.type) {
      case "tool-begin":
        return this.#tools.begin(owner, { id, name: part.toolName, messageId: this.#messages.ofCalls(call) });
      case "tool-input":
        return this.#tools.input(owner, id, part.text);
      case "tool-call": {
        this.#tools.begin(owner, { id, name: part.toolName, messageId: this.#messages.ofCalls(call) });
        return this.#tools.complete(owner, id, part.input);
      }
      case "tool-data":
        return this.#custom(owner, "tool-data", { toolCallId: id, data: plain(part.data) });
      case "tool-result":
        return this.#tools.result(id, part.output);
      case "tool-error":
        return this.#tools.result(id, part.error);
      case "tool-denied":
        return this.#tools.result(id, refusal(part.note));
    }
  }

  /** The root agent that speaks changes with a handoff. */
  #showAgent(call: ShownCall, name: string): void {
    if (call.leaders.length > 0 || call.origin !== null || this.#agent === name) return;
    if (this.#agent !== null) this.#custom(this.#ownerOf(call), "agent", { name });
    this.#agent = name;
  }

  #showText(call: ShownCall, owner: Owner, { type: kind, id: part, text }: TextPart): void {
    this.#hasText ||= kind === "text" && owner.subagentRunId === undefined;
    this.writer.text(owner, { kind, messageId: this.#messages.ofText(call, kind, part) }, text);
  }

  #path(call: ShownCall, toolCallId: string): string {
    return [...this.calls.pathOf(call), toolCallId].join("/");
  }

  #ownerOf(call: ShownCall): Owner {
    return { id: call.id, subagentRunId: this.#subagents.of(call) };
  }

  #custom({ subagentRunId }: Owner, name: string, value: unknown): void {
    const by = subagentRunId === undefined ? {} : { subagentRunId };
    this.writer.put({ type: EventType.CUSTOM, name, value, ...by });
  }

  /** Returns `false` for an event that does not end the run. */
  #end(event: StreamedEvent["event"]): boolean {
    if (WorkflowFailedEvent.is(event)) this.#close({ type: "error", error: event.error });
    else if (WorkflowTimedOutEvent.is(event)) this.#close({ type: "error", error: timedOut(event) });
    else if (WorkflowCancelledEvent.is(event)) this.#close({ type: "cancelled" });
    else if (roleOf(event) === "stop") this.#complete(event);
    else return false;
    return true;
  }

  #complete(event: StreamedEvent["event"]): void {
    this.calls.settle();
    const text = this.#hasText ? null : resultText(event);
    const owner = { id: "result" };
    if (text !== null) this.writer.text(owner, { kind: "text", messageId: `${this.#options.runId}:result` }, text);
    const { result = event.toJSON() } = event as { readonly result?: unknown };
    this.#close({ type: "success", result: plain(result) });
  }

  #close(end: RunEnd): void {
    this.writer.closeAll();
    for (const id of [...this.writer.subagents].reverse()) this.writer.endSubagent(id);
    this.end = end;
  }

  /** The run waits: the sub-agents at work are suspended. */
  suspend(interrupts: readonly { readonly id: string; readonly subagentRunId?: string }[]): void {
    this.writer.closeAll();
    for (const id of [...this.writer.subagents].reverse())
      this.writer.endSubagent(
        id,
        interrupts.filter(({ subagentRunId }) => subagentRunId === id).map((one) => one.id),
      );
  }

  #showMapped(streamed: StreamedEvent): void {
    const shown = this.#options.map?.(streamed);
    if (shown === undefined) return;
    const { writer = "", call = "", sequence } = streamed;
    const owner: Owner = { id: `${writer}${eventMark}${call}`, subagentRunId: this.#subagents.ofEvent(streamed) };
    const messageId = `${this.#options.runId}:${sequence}`;
    if (typeof shown === "string") {
      this.#hasText = true;
      const open = `${this.#options.runId}:${owner.id}`;
      this.writer.text(owner, { kind: "text", messageId: open }, shown);
    } else if ("name" in shown) this.#custom(owner, shown.name, plain(shown.value));
    else {
      const { id, activityType, content } = shown;
      const given = id === undefined ? messageId : `${this.#options.runId}:${id}`;
      this.writer.activity(owner, given, { activityType, content: plain(content) as Record<string, unknown> });
    }
  }

  /** What the step had shown outside of calls that are done comes again. */
  #restart({ kept = [] }: StepRestartedEvent, writer = ""): void {
    for (const id of this.writer.owners) {
      const [ofWriter, call = ""] = id.split(eventMark);
      if (id.includes(eventMark) && ofWriter === writer && !kept.includes(call)) this.writer.takeBack({ id });
    }
  }
}

type TextPart = Extract<AgentPart, { readonly type: "text" | "reasoning" }>;

const eventMark = " event ";

const refusal = (note: string | null): string =>
  note === null || note === "" ? "A person has not allowed this call." : `A person has not allowed this call: ${note}`;

function isEnd(event: StreamedEvent["event"]): boolean {
  const role = roleOf(event);
  return role === "stop" || role === "terminal";
}
