/** Starts jobs that act on many runs, and makes their workflow. */

import type { Workflow } from "../../authoring/workflow.types.js";
import type { Clock } from "../../host.js";
import { positiveInteger, wrongOption } from "../../value/options.js";
import type { BulkOptions, MatchOptions, RunMatches } from "../api/run-filter.types.js";
import type { RunHandle, RuntimeRunOptions } from "../api/runtime.types.js";
import { checkCallOptions, given } from "../options/call-options.js";
import type { RunStore } from "../store/run-store.types.js";
import type { BulkHost } from "./act-on-run.js";
import { bulkName, bulkRequest, bulkSet } from "./bulk-request.js";
import { bulkWorkflow, countMatching, mostCounted } from "./bulk-workflow.js";

interface JobRuntime extends Omit<BulkHost, "clock" | "knows"> {
  run(workflow: string, input: unknown, options: RuntimeRunOptions): RunHandle;
}

export interface BulkJobsSetup {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly workflows: { find(name: string): unknown };
  readonly runtime: JobRuntime;
}

export class BulkJobs {
  readonly #setup: BulkJobsSetup;

  constructor(setup: BulkJobsSetup) {
    this.#setup = setup;
  }

  start(options: BulkOptions): RunHandle {
    checkCallOptions("bulk", options);
    if (this.#setup.store.runsElsewhere === true)
      throw wrongOption(
        "store",
        "has its runs in processes that have no jobs",
        "Retry, cancel or delete the runs one by one: `runtime.runs` lists them.",
      );
    const { runId, tenant, by } = options;
    const request = bulkRequest(options);
    const labels = { action: request.action }; // lists show what the job does
    return this.#setup.runtime.run(bulkName, { request }, given({ runId, tenant, by, labels }) as RuntimeRunOptions);
  }

  async count(options: MatchOptions): Promise<RunMatches> {
    checkCallOptions("matching", options);
    const { store, clock } = this.#setup;
    const { tenant = "", most = mostCounted } = options;
    const set = { ...bulkSet(options), tenant, beforeMs: clock.now() + 1 };
    return countMatching(store, set, positiveInteger(most, "most"));
  }

  workflow(): Workflow {
    const { runtime, store, clock, workflows } = this.#setup;
    const host: BulkHost = {
      clock,
      retry: (runId, options) => runtime.retry(runId, options),
      resume: (runId, options) => runtime.resume(runId, options),
      handle: (runId, options) => runtime.handle(runId, options),
      delete: (runId, options) => runtime.delete(runId, options),
      knows: (workflow) => workflows.find(workflow) !== undefined,
    };
    return bulkWorkflow({ store, host });
  }
}
