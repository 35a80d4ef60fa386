/**
 * The content that a generator's chunks have made so far.
 *
 * Text is kept in pieces, by the run that said it: when the run ends, its result replaces them, so that no text appears
 * twice. Runs inside of another run (members of a team, steps of a pipeline) are part of that run's result and do not
 * count again.
 *
 * @module
 */
import { type ExecutorResult, isEndEvent, type RunEventLike, resultOfEvent, resultOutput } from "./function-result.js";
import { emptyMedia, mergeMedia } from "./media.js";
import type { MediaSet } from "./media.types.js";
import { sumMetrics } from "./metrics.js";
import { createOutput } from "./step-output.js";
import type { StepOutput } from "./step-output.types.js";

interface Piece {
  /** Id of the run; `null` for the function itself. */
  readonly runId: string | null;
  readonly content: unknown;
}

export class CollectedContent {
  #pieces: Piece[] = [];
  readonly #seen = new Set<string>();
  /** Results of ended runs, by run id. */
  readonly #runs = new Map<string, StepOutput>();

  /** Adds a chunk of the function itself. */
  addChunk(content: unknown): void {
    this.#add({ runId: null, content });
  }

  /** Adds the result of a run, which replaces all earlier content. */
  addResult(result: ExecutorResult): void {
    const output = resultOutput(result);
    this.#runs.set(result.runId, output);
    this.#pieces = [];
    this.#add({ runId: result.runId, content: output.content });
  }

  addEvent(event: RunEventLike): void {
    const { runId = null } = event;
    if (this.#isInside(event)) return;
    if (runId !== null) this.#seen.add(runId);
    if (contentEvents.has(event.event)) this.#add({ runId, content: event.content });
    if (runId !== null && isEndEvent(event)) this.#end(resultOfEvent({ ...event, runId }));
  }

  /** The status is that of the last run; media and metrics are those of all runs. */
  toOutput(): StepOutput {
    const content = this.#pieces.reduce<unknown>((before, piece) => joined(before, piece.content), undefined);
    const runs = [...this.#runs.values()];
    const last = runs.at(-1);
    if (!last) return createOutput({ content });
    const metrics = sumMetrics(runs.map((run) => run.metrics));
    return createOutput({ ...last, content, metrics, ...runs.reduce<MediaSet>(mergeMedia, emptyMedia) });
  }

  #isInside({ runId, parentRunId, workflowRunId }: RunEventLike): boolean {
    return [parentRunId, workflowRunId].some((outer) => outer && outer !== runId && this.#seen.has(outer));
  }

  #add(piece: Piece): void {
    if (piece.content !== undefined && piece.content !== null) this.#pieces.push(piece);
  }

  #end(result: ExecutorResult): void {
    const { runId } = result;
    const output = resultOutput(result);
    this.#runs.set(runId, output);
    if (output.content === undefined || output.content === null) return;
    const at = this.#pieces.findIndex((piece) => piece.runId === runId);
    const others = this.#pieces.filter((piece) => piece.runId !== runId);
    this.#pieces = others.toSpliced(at < 0 ? others.length : at, 0, { runId, content: output.content });
  }
}

const contentEvents: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent"]);

/** Appends text to text; any other content replaces the earlier one. */
function joined(before: unknown, content: unknown): unknown {
  return typeof before === "string" && typeof content === "string" ? before + content : content;
}
