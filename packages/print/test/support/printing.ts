import { Pipeline, type PipelineOptions, type StepFunction } from "@millrace/pipeline";
import { afterEach } from "vitest";
import type { PrintTarget } from "../../src/index.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

export function pipeline(...steps: PipelineOptions["steps"]): Pipeline {
  const made = new Pipeline({ name: "Article", steps });
  open.push(made);
  return made;
}

/** A terminal, or a file, that keeps what is written. */
export function target(shape: Partial<PrintTarget> = {}) {
  const writes: string[] = [];
  return {
    ...shape,
    writes,
    write: (text: string) => writes.push(text),
    /** Times differ from run to run. */
    text: () => writes.join("").replace(/\d+\.\d\d s/g, "T s"),
  };
}

/** Says the texts one by one, as an agent's stream does. */
export function speaks(...texts: string[]): StepFunction {
  return async function* () {
    for (const content of texts) yield { event: "RunContent", runId: "run", content };
  };
}

/** A promise that somebody else keeps. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}
