/**
 * Pieces of durable calls as chunks: those of agents, and text that any step has written.
 *
 * @module
 */
import type { AgentPart } from "@millrace/agents";
import { PieceReader, type PiecesEvent } from "millrace";
import { type CallPlace, placeOf, toolScope } from "./call-place.js";
import { isAgentPart } from "./is-agent-part.js";
import type { MessageWriter } from "./message-writer.js";
import type { ToolCalls } from "./tool-calls.js";

/** Tokens of all model calls of a run. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** A call that has written pieces. */
interface ShownCall extends CallPlace {
  /** Unique in the run. */
  readonly id: string;
  /** Calls of tools whose arguments the model has begun to write. */
  begun: string[];
  /** Calls of tools that it has requested, in their order. */
  requested: string[];
  /** What a member says. */
  said: string;
  usage: { readonly inputTokens: number; readonly outputTokens: number };
}

type ToolPart = Extract<AgentPart, { readonly toolCallId: string }>;

export class AgentParts {
  readonly #writer: MessageWriter;
  readonly #tools: ToolCalls;
  readonly #reader: PieceReader = new PieceReader();
  readonly #calls: Map<string, ShownCall> = new Map();
  /** Ids of calls of tools, by the scope in which they are answered. */
  readonly #toolIds: Map<string, string> = new Map();
  /** Last words of members, by the call of their leader. */
  readonly #answers: Map<string, string> = new Map();
  #finishReason: string | null = null;

  constructor(writer: MessageWriter, tools: ToolCalls) {
    this.#writer = writer;
    this.#tools = tools;
  }

  take(event: PiecesEvent, writer = ""): void {
    const news = this.#reader.take(event, writer);
    if (news === null) return;
    const id = `${writer}${news.call}`;
    const known = this.#calls.get(id);
    if (news.at === 0 && known !== undefined) this.#takeBack(known);
    const call = known !== undefined && news.at > 0 ? known : newCall(id);
    this.#calls.set(id, call);
    if (call.isModel && call.leaders.length === 0 && known === undefined) this.settle(call);
    for (const piece of news.pieces) {
      const part = typeof piece === "string" ? textOf(piece) : piece;
      if (isAgentPart(part)) this.#show(call, part);
    }
  }

  /**
   * The calls that the agent has made before this one are answered. That of a member, or of a handoff, has no result
   * of its own.
   *
   * @param before Absent: the agents have ended.
   */
  settle(before?: ShownCall): void {
    for (const { id, root, leaders, requested } of this.#calls.values()) {
      if (leaders.length > 0 || (before !== undefined && (root !== before.root || id === before.id))) continue;
      for (const toolCallId of requested) this.#tools.settle(toolCallId, this.#answers.get(toolCallId) ?? null);
    }
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

  #takeBack(call: ShownCall): void {
    if (call.leaders.length > 0) return;
    this.#tools.forget([...call.begun, ...call.requested]);
    this.#writer.reset(call.id);
  }

  #show(call: ShownCall, part: AgentPart): void {
    if (part.type === "end") {
      call.usage = part;
      if (call.leaders.length === 0) this.#finishReason = part.finishReason;
    } else if (part.type === "tool-call" && part.providerExecuted !== true) this.#request(call, part);
    if (call.leaders.length > 0) this.#showOfMember(call, part);
    else if ("toolCallId" in part) this.#showTool(call, part);
    else this.#showPart(call, part);
  }

  #request(call: ShownCall, { toolCallId }: ToolPart): void {
    this.#toolIds.set(toolScope(call.id, call.requested.length), toolCallId);
    call.requested.push(toolCallId);
  }

  #showPart({ id: owner }: ShownCall, part: Exclude<AgentPart, ToolPart>): void {
    switch (part.type) {
      case "agent":
        return this.#writer.put({ type: "data-agent", data: { name: part.name }, transient: true });
      case "text":
      case "reasoning":
        return this.#writer.text({ owner, kind: part.type, id: `${owner}.${part.id}` }, part.text);
      case "file": {
        const { mediaType, base64 } = part;
        return this.#writer.add(owner, { type: "file", mediaType, url: `data:${mediaType};base64,${base64}` });
      }
      case "source": {
        const { id: sourceId, url, title } = part;
        return this.#writer.add(owner, { type: "source-url", sourceId, url, ...(title !== undefined && { title }) });
      }
      case "end":
        return this.#writer.endText(owner);
    }
  }

  #showTool(call: ShownCall, part: ToolPart): void {
    switch (part.type) {
      case "tool-begin":
        call.begun.push(part.toolCallId);
        return this.#tools.begin(call.id, part);
      case "tool-input":
        return this.#tools.input(part.toolCallId, part.text);
      case "tool-call":
        return this.#tools.call(call.id, part);
      default:
        this.#showOutcome(part.toolCallId, part);
    }
  }

  #showOutcome(toolCallId: string, part: ToolPart): void {
    switch (part.type) {
      case "tool-data":
        return this.#tools.preliminary(toolCallId, part.data);
      case "tool-result":
        return this.#tools.result(toolCallId, part.output);
      case "tool-error":
        return this.#tools.fail(toolCallId, part.error);
      case "tool-denied":
        return this.#tools.deny(toolCallId, part.note);
    }
  }

  /**
   * What a member says is the preliminary output of the call of its leader. Calls that a person was asked about have a
   * part.
   */
  #showOfMember(call: ShownCall, part: AgentPart): void {
    const path = call.leaders.map((scope) => this.#toolIds.get(scope) ?? "");
    if ("toolCallId" in part) {
      const shown = this.#tools.partOfMember([...path, part.toolCallId].join("/"));
      if (shown !== null) this.#showOutcome(shown, part);
      return;
    }
    if (part.type !== "text" && part.type !== "agent") return;
    const [leaders = ""] = path;
    if (part.type === "text") call.said += part.text;
    this.#answers.set(leaders, call.said);
    this.#tools.preliminary(leaders, call.said);
  }
}

const textOf = (text: string): AgentPart => ({ type: "text", id: "text", text });

function newCall(id: string): ShownCall {
  const none = { inputTokens: 0, outputTokens: 0 };
  return { id, ...placeOf(id), begun: [], requested: [], said: "", usage: none };
}
