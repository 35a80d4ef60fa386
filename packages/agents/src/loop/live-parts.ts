import type { EffectCall } from "millrace";
import type { AgentPart } from "millrace/wire";
import { tickMs } from "../system.js";
import { agentParts } from "./agent-parts.js";
import { PieceSink } from "./part-sink.js";
import type { StreamPart, UniqueIds } from "./unique-ids.js";

/** Parts that say nothing once the answer is whole. */
const passing: ReadonlySet<string> = new Set(["tool-input-start", "tool-input-delta", "tool-input-end", "raw", "ping"]);

/** Parts that are words of the model. */
const output: ReadonlySet<string> = new Set(["text-delta", "reasoning-delta", "tool-input-delta", "tool-call"]);

/** Parts at which the SDK runs tools, or ends. */
function isHeld(part: StreamPart): boolean {
  return part.type === "finish" || (part.type === "tool-call" && part.providerExecuted !== true);
}

/**
 * The parts of one recorded answer, on their way to the loop of the SDK. Readers get texts as they come; a call is held back until the
 * answer is recorded, so that no tool runs for an answer that a restart would ask for again.
 */
export class LiveParts {
  readonly #target: ReadableStreamDefaultController<StreamPart>;
  readonly #ids: UniqueIds;
  readonly #startedMs = tickMs();
  #firstSeconds: number | null = null;
  #isLive = false;
  #hasBegun = false;
  /** `true`: the loop has words of the answer, and cannot begin anew. */
  isRead = false;

  constructor(target: ReadableStreamDefaultController<StreamPart>, ids: UniqueIds) {
    this.#target = target;
    this.#ids = ids;
  }

  /** Seconds from the request to the first output, for the record; nothing of an answer without any. */
  firstOutput(): { readonly timeToFirstToken?: number } {
    return this.#firstSeconds === null ? {} : { timeToFirstToken: this.#firstSeconds };
  }

  /** Shows the parts of a live answer. Returns the parts to record. */
  async take(stream: ReadableStream<StreamPart>, call: EffectCall): Promise<StreamPart[]> {
    this.#isLive = true;
    const { signal } = call;
    const sink = new PieceSink(call);
    const parts: StreamPart[] = [];
    this.#firstSeconds = null;
    try {
      for await (const given of stream as unknown as AsyncIterable<StreamPart>) {
        signal.throwIfAborted();
        const part = this.#ids.inPart(given);
        if (part.type === "error") throw part.error;
        if (output.has(part.type)) this.#firstSeconds ??= (tickMs() - this.#startedMs) / 1000;
        if (!isHeld(part)) this.#emit(part);
        if (!passing.has(part.type)) keep(parts, part);
        for (const shown of shownOf(part)) sink.show(shown);
      }
      return parts;
    } finally {
      sink.close();
    }
  }

  /** The start part of an answer has no content, and serves a later attempt, too. */
  #emit(part: StreamPart): void {
    if (part.type === "stream-start") {
      if (this.#hasBegun) return;
      this.#hasBegun = true;
    } else if (part.type !== "response-metadata") this.isRead = true;
    this.#target.enqueue(part);
  }

  /** The answer is recorded: shows what was held back, or all of a recalled answer. */
  finish(parts: readonly StreamPart[]): void {
    for (const part of parts) if (!this.#isLive || isHeld(part)) this.#target.enqueue(part);
    this.#target.close();
  }
}

/** The arguments of a call are JSON text here. */
function shownOf(part: StreamPart): readonly AgentPart[] {
  return agentParts(part).map((shown) =>
    shown.type === "tool-call" ? { ...shown, input: parsed(shown.input) } : shown,
  );
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return json; // the SDK reports invalid arguments to the model
  }
}

/** Pieces of one text become one piece. */
function keep(parts: StreamPart[], part: StreamPart): void {
  const last = parts.at(-1);
  const isMore =
    (part.type === "text-delta" || part.type === "reasoning-delta") && last?.type === part.type && last.id === part.id;
  if (isMore) parts[parts.length - 1] = { ...last, delta: last.delta + part.delta };
  else parts.push(part);
}
