/** Members of teams and child runs as sub-agents. */
import type { StreamedEvent } from "millrace";
import type { ShownCall } from "../shown/agent-calls.js";
import type { EventWriter } from "./event-writer.js";

interface MemberFacts {
  /** `null`: not known yet. */
  readonly name: string | null;
  /** The call that has asked the member. */
  readonly toolCallId: string | null;
}

export class Subagents {
  readonly #writer: EventWriter;
  readonly #runId: string;
  /** Ids of the sub-agents that calls of tools have asked. */
  readonly #byCall: Map<string, string> = new Map();

  constructor(writer: EventWriter, runId: string) {
    this.#writer = writer;
    this.#runId = runId;
  }

  /** The sub-agent that makes a call; `undefined` for the run itself. */
  of({ leaders, id, origin }: Pick<ShownCall, "leaders" | "id" | "origin">): string | undefined {
    const leader = leaders.at(-1);
    if (leader !== undefined) return `${this.#runId}:${leader}`;
    return origin === null ? undefined : this.#childId(origin, writerOf(id));
  }

  ofEvent({ origin, writer = "" }: StreamedEvent): string | undefined {
    return origin === null ? undefined : this.#childId(origin, writer);
  }

  ofMember(call: ShownCall, { name, toolCallId }: MemberFacts): void {
    const id = this.of(call);
    const leader = call.leaders.at(-1);
    if (leader === undefined || id === undefined) return;
    const [, scope = "member"] = /^\/@([^/]+)/.exec(call.id.slice(leader.length)) ?? [];
    const parent = this.of({ ...call, leaders: call.leaders.slice(0, -1) });
    if (toolCallId !== null) this.#byCall.set(toolCallId, id);
    this.#writer.startSubagent({
      id,
      name: name ?? scope,
      parentSubagentRunId: parent,
      parentToolCallId: toolCallId ?? undefined,
    });
  }

  /** Announces the child runs that an event comes from. */
  ofChild({ origin, writer = "" }: StreamedEvent): void {
    const names = (origin as string).split("/");
    let parentSubagentRunId: string | undefined;
    names.forEach((name, index) => {
      const id = this.#childId(names.slice(0, index + 1).join("/"), writer);
      this.#writer.startSubagent({ id, name, parentSubagentRunId });
      parentSubagentRunId = id;
    });
  }

  endChild(streamed: StreamedEvent): void {
    const id = this.ofEvent(streamed);
    if (id !== undefined) this.#writer.endSubagent(id);
  }

  /** The call of a tool is answered, and with it the work of the member that it has asked. */
  endOf(toolCallId: string): void {
    const id = this.#byCall.get(toolCallId);
    if (id !== undefined) this.#writer.endSubagent(id);
  }

  /** Children have numbers among what their parent has opened, which the writers of their events begin with. */
  #childId(origin: string, writer: string): string {
    const numbers = writer.split("/").slice(0, origin.split("/").length);
    return `${this.#runId}>${origin
      .split("/")
      .map((name, index) => `${name}.${numbers[index] ?? ""}`)
      .join("/")}`;
  }
}

const writerOf = (callId: string): string => callId.slice(0, Math.max(callId.search(/\/@|\/?run=/), 0));
