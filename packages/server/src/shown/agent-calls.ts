/**
 * The calls of agents in the stream of a run, for every protocol that shows them: which call a part belongs to, and
 * what becomes void when a call is made again.
 *
 * @module
 */
import { PieceReader, PiecesEvent, type StreamedEvent } from "millrace";
import type { AgentPart } from "millrace/wire";
import { type CallPlace, placeOf, toolScope } from "./call-place.js";
import { isAgentPart } from "./is-agent-part.js";

/** Tokens of all model calls of a run. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** A call that has written pieces. */
export interface ShownCall extends CallPlace {
  /** Unique in the run. */
  readonly id: string;
  /** Path of the child run that makes it; `null` for the run itself. */
  readonly origin: string | null;
  /** Calls of tools whose arguments the model has begun to write. */
  readonly begun: string[];
  /** Calls of tools that it has requested, in their order. */
  readonly requested: string[];
  /** What a member says. */
  said: string;
  usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** Shows the parts in the form of a protocol. */
export interface CallsView {
  /** The call is made again: what it has shown so far is void. */
  takeBack(call: ShownCall): void;
  show(call: ShownCall, part: AgentPart): void;
  /** The agents have continued: the call of the tool is answered, by a member or a handoff if it has no result yet. */
  settle(toolCallId: string, output: unknown, by: ShownCall): void;
}

export class AgentCalls {
  readonly #view: CallsView;
  readonly #reader: PieceReader = new PieceReader();
  readonly #calls: Map<string, ShownCall> = new Map();
  /** Ids of calls of tools, by the scope in which they are answered. */
  readonly #toolIds: Map<string, string> = new Map();
  /** Last words of members, by the path of the call of their leader. */
  readonly #answers: Map<string, string> = new Map();
  #finishReason: string | null = null;

  constructor(view: CallsView) {
    this.#view = view;
  }

  /** Returns `false` for an event that has no pieces. */
  take({ event, origin, writer = "" }: StreamedEvent): boolean {
    if (!PiecesEvent.is(event)) return false;
    const news = this.#reader.take(event, writer);
    if (news === null) return true;
    const id = `${writer}${news.call}`;
    const known = this.#calls.get(id);
    if (news.at === 0 && known !== undefined) this.#view.takeBack(known);
    const call = known !== undefined && news.at > 0 ? known : newCall(id, origin);
    this.#calls.set(id, call);
    if (call.isModel && known === undefined) this.settle(call);
    for (const piece of news.pieces) {
      const part = typeof piece === "string" ? textOf(piece) : piece;
      if (isAgentPart(part)) this.#take(call, part);
    }
    return true;
  }

  /**
   * The calls of tools that the agent has requested before this call are answered. That of a member, or of a handoff,
   * has no separate result.
   *
   * @param before Absent: the agents have ended.
   */
  settle(before?: ShownCall): void {
    for (const call of this.#calls.values()) {
      if (before !== undefined && (!isOfSameAgent(call, before) || call.id === before.id)) continue;
      for (const toolCallId of call.requested)
        this.#view.settle(toolCallId, this.#answers.get(this.#pathTo(call, toolCallId)) ?? null, call);
    }
  }

  /** Ids of the calls of leaders that this call works for, the outermost first. */
  pathOf({ leaders }: ShownCall): string[] {
    return leaders.map((scope) => this.#toolIds.get(scope) ?? "");
  }

  #pathTo(call: ShownCall, toolCallId: string): string {
    return [...this.pathOf(call), toolCallId].join("/");
  }

  get usage(): Usage {
    let [inputTokens, outputTokens] = [0, 0];
    for (const { usage } of this.#calls.values()) {
      inputTokens += usage.inputTokens;
      outputTokens += usage.outputTokens;
    }
    return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  /** That of the last answer of a model; `null` if there is none. */
  get finishReason(): string | null {
    return this.#finishReason;
  }

  #take(call: ShownCall, part: AgentPart): void {
    const isOfMember = call.leaders.length > 0;
    if (part.type === "end") {
      call.usage = part;
      if (!isOfMember) this.#finishReason = part.finishReason;
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      this.#toolIds.set(toolScope(call.id, call.requested.length), part.toolCallId);
      call.requested.push(part.toolCallId);
    } else if (part.type === "tool-begin") call.begun.push(part.toolCallId);
    if (isOfMember && (part.type === "text" || part.type === "agent")) {
      if (part.type === "text") call.said += part.text;
      this.#answers.set(this.pathOf(call).join("/"), call.said);
    }
    this.#view.show(call, part);
  }
}

/** Members work below the root of their leader. */
const isOfSameAgent = (one: ShownCall, other: ShownCall): boolean =>
  one.root === other.root && one.leaders.at(-1) === other.leaders.at(-1);

const textOf = (text: string): AgentPart => ({ type: "text", id: "text", text });

function newCall(id: string, origin: string | null): ShownCall {
  const none = { inputTokens: 0, outputTokens: 0 };
  return { id, origin, ...placeOf(id), begun: [], requested: [], said: "", usage: none };
}
