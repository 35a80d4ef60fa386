/** The state cell of a run: its commits become ticks. */

import type { CompiledWorkflow } from "../compile/compile.js";
import { isWritten } from "../state/prepare-change.js";
import { StateStore } from "../state/state-store.js";
import { copyValue } from "../value/copy.js";
import { logUnhandledCall, noteFailure } from "./attempt/forgotten-calls.js";
import { partsOf } from "./attempt/open-call.js";
import type { AttemptCore, LiveRunCore } from "./run.types.js";

/** The initial state of a run. */
export function initialStore(compiled: CompiledWorkflow): unknown {
  return compiled.state?.initial() ?? empty;
}
const empty = /* @__PURE__ */ Object.freeze({});

export function createCell(run: LiveRunCore): StateStore {
  const { compiled, ports } = run.host;
  return new StateStore({
    read: () => run.state.store,
    commit(change, { writer, value, by: edit }) {
      const attempt = (writer?.token ?? null) as AttemptCore | null;
      attempt?.assertAlive();
      // The calls of the attempt: a child that shares this store records the edit in the same tick.
      const by = attempt?.run ?? run;
      return by.commit({
        type: "state.edited",
        atMs: by.now(),
        item: attempt?.item.id ?? null,
        attempt: attempt?.number ?? 0,
        call: writer?.note ?? null,
        change,
        // Written values are frozen, and steps get copies.
        value: isWritten(change, value) ? value : copyValue(value, compiled.values),
        ...(attempt !== null && edit !== null && partsOf(attempt, edit)),
      });
    },
    failed(failure, writer) {
      if (writer) {
        const attempt = writer.token as AttemptCore;
        noteFailure(attempt, failure);
        attempt.run.checkIdleAgain(); // an edit was active, and no tick reports its end
      } else logUnhandledCall(ports.log, `A write to the state of run "${run.state.runId}" has failed.`, failure);
    },
    schema: compiled.state,
    types: compiled.values,
    lockTimeoutMs: compiled.options.lockTimeoutMs,
    clock: ports.clock,
  });
}
