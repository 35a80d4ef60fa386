/** The calls of tools in one answer. */
import { type Event, EventType } from "@ag-ui/core";
import type { ShownCall } from "../shown/agent-calls.js";
import type { EventWriter, Owner } from "./event-writer.js";
import type { AskedCall } from "./interrupts.js";
import { plain } from "./json.js";
import { present } from "./message-list.js";

interface Begun {
  readonly id: string;
  readonly name: string;
  /** The message that holds the call. */
  readonly messageId: string;
}

/** The answer that they are of. */
interface ToolsOf {
  readonly runId: string;
  readonly turn: number;
  /** Calls whose result the client has itself. */
  readonly answered: ReadonlySet<string>;
}

interface ShownTool {
  readonly by: string;
  readonly owner: Owner;
  hasInput: boolean;
  isOver: boolean;
}

export class ShownTools {
  readonly #writer: EventWriter;
  readonly #runId: string;
  readonly #turn: number;
  readonly #answered: ReadonlySet<string>;
  /** Ids as clients know them, by the agent that makes the call and its path. */
  readonly #ids: Map<string, string> = new Map();
  readonly #tools: Map<string, ShownTool> = new Map();
  /** The last call with this path. */
  readonly #byPath: Map<string, string> = new Map();

  constructor(writer: EventWriter, { runId, turn, answered }: ToolsOf) {
    this.#writer = writer;
    this.#runId = runId;
    this.#turn = turn;
    this.#answered = answered;
  }

  /** Models repeat their ids, so that of a call is unique in the thread. */
  idOf({ root }: ShownCall, path: string): string {
    const key = `${root} ${path}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const plainId = `${this.#turn}:${path}`;
    const taken = new Set(this.#ids.values());
    let id = plainId;
    for (let number = 2; taken.has(id); number++) id = `${plainId}~${number}`;
    this.#ids.set(key, id);
    this.#byPath.set(path, id);
    return id;
  }

  /** `null`: no call with this path is shown. */
  shownAt(path: string): string | null {
    return this.#byPath.get(path) ?? null;
  }

  asked(path: string): AskedCall | null {
    const toolCallId = this.shownAt(path);
    const tool = toolCallId === null ? undefined : this.#tools.get(toolCallId);
    return toolCallId === null || tool === undefined ? null : { toolCallId, subagentRunId: tool.owner.subagentRunId };
  }

  begin(owner: Owner, { id, name, messageId }: Begun): void {
    if (this.#tools.has(id)) return;
    this.#tools.set(id, { by: owner.id, owner, hasInput: false, isOver: false });
    this.#writer.startCall(owner, { toolCallId: id, toolCallName: name, parentMessageId: messageId });
  }

  input(owner: Owner, id: string, delta: string): void {
    const tool = this.#tools.get(id);
    if (tool === undefined || !this.#writer.isOpen(id)) return;
    tool.hasInput = true;
    this.#writer.put({ type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta, ...by(owner) });
  }

  complete(owner: Owner, id: string, input: unknown): void {
    if (this.#tools.get(id)?.hasInput === false) this.input(owner, id, JSON.stringify(plain(input)));
    this.#writer.endCall(id);
  }

  /** Only the first one counts. */
  result(id: string, output: unknown): void {
    const tool = this.#tools.get(id);
    if (tool === undefined || tool.isOver) return;
    tool.isOver = true;
    this.#writer.endCall(id);
    const content = typeof output === "string" ? output : JSON.stringify(plain(output));
    const event: Event = {
      ...{ type: EventType.TOOL_CALL_RESULT, messageId: `${this.#runId}:${id}:result`, toolCallId: id, content },
      ...by(tool.owner),
    };
    if (this.#answered.has(id)) this.#writer.note(event);
    else this.#writer.put(event);
  }

  /** The calls that a call of a model had requested, which is made again. */
  forget({ id }: ShownCall): void {
    for (const [toolCallId, tool] of this.#tools) if (tool.by === id) this.#tools.delete(toolCallId);
  }
}

const by = ({ subagentRunId }: Owner): { subagentRunId?: string } => present({ subagentRunId });
