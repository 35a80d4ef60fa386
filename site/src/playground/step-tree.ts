/** Inspection events as a tree: runs, the attempts of their steps, and the runs that those start. */
import type { AttemptFacts, Inspection, WorkflowEvent } from "millrace";
import type { Node } from "./messages.types.ts";

export class StepTree {
  readonly #tell: (node: Node) => void;
  readonly #nodes = new Map<string, Node>();
  /** The attempt that started a run. */
  readonly #parents = new Map<string, string>();

  constructor(tell: (node: Node) => void) {
    this.#tell = tell;
  }

  add({ name, payload }: Inspection): void {
    const { runId } = payload;
    if (name === "run.started") {
      const title = `${payload.workflow} ← ${payload.event.type}`;
      this.#put({ id: runId, parent: this.#parents.get(runId) ?? null, title, status: "running", detail: "" });
    }
    if (name === "run.completed") this.#change(runId, "completed", `→ ${payload.event.type}, ${ms(payload.elapsedMs)}`);
    if (name === "run.failed") this.#change(runId, "failed", textOf(payload.error));
    if (name === "run.timedOut" || name === "run.cancelled") this.#change(runId, "stopped", name.slice(4));
    if (name === "step.started") {
      const title = `${payload.step} ← ${typesOf(payload.events)}${payload.attempt > 1 ? `, attempt ${payload.attempt}` : ""}`;
      this.#put({ id: idOf(payload), parent: runId, title, status: "running", detail: "" });
    }
    if (name === "step.completed") {
      const output = payload.events.length === 0 ? "" : `→ ${typesOf(payload.events)}, `;
      this.#change(idOf(payload), "completed", `${output}${ms(payload.elapsedMs)}`);
    }
    if (name === "step.failed") this.#change(idOf(payload), "failed", textOf(payload.error));
    if (name === "step.stopped") this.#change(idOf(payload), "stopped", payload.reason);
    if (name === "step.waiting")
      this.#change(idOf(payload), "waiting", `for ${payload.kind === "event" ? "an event" : `a ${payload.kind}`}`);
    if (name === "step.answered") this.#change(idOf(payload), "running", "");
    if (name === "child.started") this.#parents.set(payload.childRunId, idOf(payload));
  }

  #put(node: Node): void {
    this.#nodes.set(node.id, node);
    this.#tell(node);
  }

  #change(id: string, status: Node["status"], detail: string): void {
    const node = this.#nodes.get(id);
    if (node !== undefined) this.#put({ ...node, status, detail });
  }
}

const idOf = ({ runId, item, attempt }: AttemptFacts): string => `${runId}/${item}/${attempt}`;
const ms = (elapsedMs: number): string => `${Math.round(elapsedMs)} ms`;
const textOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/** "Chapter × 3" for many of one type. */
function typesOf(events: readonly WorkflowEvent[]): string {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} × ${count}`)).join(", ");
}
