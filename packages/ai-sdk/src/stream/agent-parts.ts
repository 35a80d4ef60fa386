/** The parts of agents as chunks, and text that any step has written. */
import { AgentCalls, type CallsView, type ShownCall } from "@millrace/server/door";
import type { AgentPart } from "millrace/wire";
import type { MessageWriter } from "./message-writer.js";
import type { ToolCalls } from "./tool-calls.js";

type ToolPart = Extract<AgentPart, { readonly toolCallId: string }>;

export class AgentParts implements CallsView {
  readonly #writer: MessageWriter;
  readonly #tools: ToolCalls;
  readonly calls: AgentCalls = new AgentCalls(this);

  constructor(writer: MessageWriter, tools: ToolCalls) {
    this.#writer = writer;
    this.#tools = tools;
  }

  settle(toolCallId: string, output: unknown, { leaders }: ShownCall): void {
    if (leaders.length === 0) this.#tools.settle(toolCallId, output);
  }

  takeBack(call: ShownCall): void {
    if (call.leaders.length > 0) return;
    this.#tools.forget([...call.begun, ...call.requested]);
    this.#writer.reset(call.id);
  }

  show(call: ShownCall, part: AgentPart): void {
    if (call.leaders.length > 0) this.#showOfMember(call, part);
    else if ("toolCallId" in part) this.#showTool(call, part);
    else this.#showPart(call, part);
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
    const path = this.calls.pathOf(call);
    if ("toolCallId" in part) {
      const shown = this.#tools.partOfMember([...path, part.toolCallId].join("/"));
      if (shown !== null) this.#showOutcome(shown, part);
    } else if (part.type === "text" || part.type === "agent") this.#tools.preliminary(path[0] ?? "", call.said);
  }
}
