import type { AgentPart, AgentQuestion } from "millrace/wire";
import type { MessageWriter } from "./message-writer.js";

type Begun = Extract<AgentPart, { readonly type: "tool-begin" }>;
type Requested = Extract<AgentPart, { readonly type: "tool-call" }>;

type State = "called" | "asked" | "over";

/**
 * The calls of tools in one message, and the questions about them.
 *
 * A call of a member of a team has no part in the message of its leader. It gets one when a person is asked about it,
 * under the id of the question.
 */
export class ToolCalls {
  readonly #writer: MessageWriter;
  /** By the id of its part. */
  readonly #states: Map<string, State> = new Map();
  /** Open approvals, by the id of the part. */
  readonly #approvals: Map<string, string> = new Map();
  /** Ids of the parts of calls of members, by the path of the question. */
  readonly #ofMembers: Map<string, string> = new Map();

  /** Calls that the provider of the model makes. */
  readonly #ofProvider: Set<string> = new Set();

  constructor(writer: MessageWriter) {
    this.#writer = writer;
  }

  /** @param owner The call of the model that requests it. */
  begin(owner: string, { toolCallId, toolName }: Begun): void {
    this.#states.set(toolCallId, "called");
    this.#writer.add(owner, { type: "tool-input-start", toolCallId, toolName });
  }

  input(toolCallId: string, text: string): void {
    this.#writer.put({ type: "tool-input-delta", toolCallId, inputTextDelta: text });
  }

  /** @param owner The call of the model that requests it. */
  call(owner: string, { toolCallId, toolName, input, providerExecuted }: Requested): void {
    if (providerExecuted === true) this.#ofProvider.add(toolCallId);
    this.#states.set(toolCallId, "called");
    const by = this.#by(toolCallId);
    this.#writer.add(owner, { type: "tool-input-available", toolCallId, toolName, input, ...by });
  }

  /** A person is asked whether the call may be made, or a page what it returns. */
  ask(promptId: string, question: AgentQuestion): void {
    const part = this.#partOf(promptId, question);
    if (question.kind === "result") return;
    this.#states.set(part, "asked");
    this.#approvals.set(part, promptId);
    this.#writer.put({ type: "tool-approval-request", approvalId: promptId, toolCallId: part });
  }

  /** A call of a member gets a separate part, under the id of the question. */
  #partOf(promptId: string, { id, toolCallId, toolName, input }: AgentQuestion): string {
    if (id === toolCallId) return id;
    const known = this.#ofMembers.get(id);
    if (known !== undefined) return known; // it is asked about again
    this.#ofMembers.set(id, promptId);
    this.#states.set(promptId, "called");
    this.#writer.put({
      type: "tool-input-available",
      toolCallId: promptId,
      toolName: String(toolName),
      input,
      dynamic: true,
    });
    return promptId;
  }

  /** Id of the part that shows this call of a member; `null`: none does. */
  partOfMember(path: string): string | null {
    return this.#ofMembers.get(path) ?? null;
  }

  /** What the call has so far. */
  preliminary(toolCallId: string, output: unknown): void {
    this.#writer.put({ type: "tool-output-available", toolCallId, output, preliminary: true });
  }

  result(toolCallId: string, output: unknown): void {
    this.#respond(toolCallId, { approved: true });
    this.#writer.put({ type: "tool-output-available", toolCallId, output, ...this.#by(toolCallId) });
  }

  fail(toolCallId: string, errorText: string): void {
    this.#respond(toolCallId, { approved: true });
    this.#writer.put({ type: "tool-output-error", toolCallId, errorText, ...this.#by(toolCallId) });
  }

  #by(toolCallId: string): { readonly providerExecuted?: true } {
    return this.#ofProvider.has(toolCallId) ? { providerExecuted: true } : {};
  }

  deny(toolCallId: string, note: string | null): void {
    this.#respond(toolCallId, { approved: false, ...(note !== null && { reason: note }) });
    this.#writer.put({ type: "tool-output-denied", toolCallId });
  }

  /** The call is answered, if it is still open. */
  settle(toolCallId: string, output: unknown): void {
    if (this.#states.get(toolCallId) === "called") this.result(toolCallId, output);
  }

  /** The run has ended: no call is answered any more. */
  close(errorText: string): void {
    for (const [toolCallId, state] of this.#states) {
      if (state === "asked") this.deny(toolCallId, errorText);
      else if (state === "called") this.fail(toolCallId, errorText);
    }
  }

  /** The calls of a step that is taken back. */
  forget(toolCallIds: Iterable<string>): void {
    for (const id of toolCallIds) this.#states.delete(id);
  }

  /** What a person has said shows in the message before what follows from it. */
  #respond(toolCallId: string, answer: { readonly approved: boolean; readonly reason?: string }): void {
    this.#states.set(toolCallId, "over");
    const approvalId = this.#approvals.get(toolCallId);
    this.#approvals.delete(toolCallId);
    if (approvalId !== undefined) this.#writer.put({ type: "tool-approval-response", approvalId, ...answer });
  }
}
