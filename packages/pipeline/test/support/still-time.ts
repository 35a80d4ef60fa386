/** Time that stands still for the runs of a pipeline, and for the pipeline itself, until a test moves it on. */
import { testRuntime, type VirtualClock } from "@millrace/testing";
import { memoryStore, type RunHandle } from "millrace/runtime";
import { onTestFinished, vi } from "vitest";
import { Pipeline, type PipelineOptions, type PipelineRunOptions, type PipelineRunOutput } from "../../src/index.js";

export interface StillTime {
  readonly made: Pipeline;
  readonly clock: VirtualClock;
  readonly run: (input: unknown, options?: PipelineRunOptions) => RunHandle<PipelineRunOutput>;
}

/** What the pipeline says of its sessions comes from the same store. */
export function stillTime(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}): StillTime {
  const store = memoryStore();
  const made = new Pipeline({ name: "Tested", steps, store, ...options });
  const { runtime, clock } = testRuntime({ [made.id]: made.workflow }, { store });
  const now = vi.spyOn(Date, "now").mockImplementation(() => clock.now());
  onTestFinished(async () => {
    await runtime.stop({ drainMs: 0 });
    await made.close();
    now.mockRestore(); // files of one worker share `Date`: the next test has the time of this machine
  });
  const run: StillTime["run"] = (input, given) =>
    runtime.run(made.id, made.workflowInput(input, given) as never) as unknown as RunHandle<PipelineRunOutput>;
  return { made, clock, run };
}

interface Asked {
  readonly promptId: string;
  readonly [field: string]: unknown;
}

/** The questions of a run that waits, with what their prompts have. */
export async function askedOf(handle: RunHandle<PipelineRunOutput>): Promise<Asked[]> {
  const outcome = await handle.idle();
  if (outcome.status !== "waiting") throw new TypeError(`the run is ${outcome.status}`);
  return outcome.prompts.map(({ promptId, event }) => ({ promptId, ...event }));
}
