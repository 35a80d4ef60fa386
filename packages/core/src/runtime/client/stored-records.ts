import type { RunContext } from "../../authoring/store.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { attemptOf } from "../../host.js";
import { assertFunction, assertObjects, pageSize } from "../../value/options.js";
import type { RecordName, RuntimeRecords, StepRecords } from "../api/runtime-records.types.js";
import { checkCallOptions, checkNames, given } from "../options/call-options.js";
import type { RunStore } from "../store/run-store.types.js";
import {
  type RecordChange,
  recordConflict,
  recordContent,
  recordText,
  recordValue,
  updatedBy,
} from "../text/record-text.js";
import { DurableRun } from "../worker/run/durable-run.js";

/** The records of a store, from outside of runs. */
export function storedRecords(store: RunStore): RuntimeRecords {
  return {
    async read(kind, id, options = {}) {
      checkCallOptions("records.read", options);
      const { tenant = "" } = options;
      checkNames({ tenant, kind, id });
      const record = await store.record({ tenant, kind, id });
      return record === null ? null : recordValue({ kind, id }, record);
    },
    async write(edits) {
      assertObjects(edits, "edits");
      const writes = edits.map((edit) => {
        const { tenant = "", kind, id, expected } = edit;
        checkNames({ tenant, kind, id });
        return { tenant, kind, id, expected, text: recordText(edit) };
      });
      const conflicts = await store.writeRecords(writes);
      if (conflicts.length > 0)
        throw recordConflict(conflicts, "another version is stored than was expected", "Read again, then write.");
    },
    async update<Value>(record: RecordName, change: (current: Value | undefined) => Value | undefined) {
      checkCallOptions("records.update", record);
      assertFunction(change, "change");
      const { tenant = "", kind, id } = record;
      checkNames({ tenant, kind, id });
      const key = { tenant, kind, id };
      for (;;) {
        const stored = await store.record(key);
        const { value, text } = updatedBy(key, change as RecordChange, recordContent(key, stored?.text ?? null));
        const write = { ...key, expected: stored?.version ?? 0, text };
        const isDone = (stored === null && text === null) || (await store.writeRecords([write])).length === 0;
        if (isDone) return value as Value | undefined;
      }
    },
    async list(query) {
      checkCallOptions("records.list", query);
      const { tenant = "", limit = 100, ...where } = query;
      checkNames({ tenant, kind: where.kind });
      const page = await store.records({ ...given(where), tenant, limit: pageSize(limit) });
      const records = page.records.map((record) => ({ id: record.id, ...recordValue(record, record) }));
      return { records, cursor: page.cursor };
    },
  };
}

/**
 * The records of the tenant of this run: versioned data beside the runs, such as a session that many runs share.
 *
 * @example
 * const records = recordsOf(ctx);
 * const visits = await records.update("counter", "visits", (count: number = 0) => count + 1);
 * return new StopEvent({ result: visits }); // stores the record and the end of the step together
 *
 * @throws {WorkflowError} `RUNTIME_REQUIRED` in a run without a runtime, `ATTEMPT_ENDED`.
 */
export function recordsOf(ctx: Pick<RunContext, "runId">): StepRecords {
  const attempt = attemptOf(ctx);
  const journal = attempt?.run.journal;
  if (!attempt || !(journal instanceof DurableRun)) throw runtimeRequired();
  attempt.assertAlive();
  return journal.recordsOf(attempt);
}

function runtimeRequired(): WorkflowError {
  return new WorkflowError({
    code: "RUNTIME_REQUIRED",
    message: "`recordsOf` was called outside a step of a durable run.",
    hint: "Start the run with `createRuntime({ workflows, store })`, and pass the `ctx` of the step to `recordsOf`.",
  });
}
