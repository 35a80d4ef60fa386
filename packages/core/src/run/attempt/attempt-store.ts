/** The state of a run, and the store as a step holds it: every write is matched with the recorded calls of the work item. */
import type { WriteOptions } from "../../authoring/store.types.js";
import { sameValue } from "../../event/equal.js";
import { CallPromise } from "../../state/edit-context.js";
import { isWritten, type Path } from "../../state/prepare-change.js";
import { StateStore, type Writer } from "../../state/state-store.js";
import { afterTurn, isTurnOver } from "../../system/system.js";
import { copyValue } from "../../value/copy.js";
import { assertFunction, checkOptionNames } from "../../value/options.js";
import type { AttemptCore, LiveRunCore } from "../live-run.js";
import { inScope, nameOf } from "./call-ids.js";
import { callsOf, recall } from "./calls.js";
import { logUnhandledCall, makeCall, noteFailure } from "./forgotten-calls.js";
import { partsOf } from "./open-call.js";

export class AttemptStore {
  readonly #attempt: AttemptCore;
  /** The path of the scope whose keys count; empty for the step itself. */
  readonly #scope: string;

  constructor(attempt: AttemptCore, scope: string) {
    this.#attempt = attempt;
    this.#scope = scope;
  }

  get #cell(): StateStore {
    return this.#attempt.run.store();
  }

  get(path?: Path, fallback?: unknown): Promise<unknown> {
    return makeCall(this.#attempt, () => this.#inTurn(this.#cell.read(path, fallback)));
  }

  getState(): Promise<unknown> {
    return this.get();
  }

  set(path: Path, value: unknown, options: WriteOptions = {}): Promise<void> {
    const about = typeof path === "string" ? path : JSON.stringify(path);
    return this.#write({ kind: "set", about, options, value }, (writer) => this.#cell.write(path, value, writer));
  }

  setState(state: unknown): Promise<void> {
    return this.#write({ kind: "setState", about: "", value: state }, (writer) => this.#cell.replace(state, writer));
  }

  clear(): Promise<void> {
    return this.#write({ kind: "clear", about: "", value: undefined }, (writer) => this.#cell.clear(writer));
  }

  editState<Result>(edit: (state: never) => Result | Promise<Result>, options: WriteOptions = {}): Promise<Result> {
    return makeCall(this.#attempt, () => {
      checkOptionNames("write", options);
      assertFunction(edit, "edit");
      const call = callsOf(this.#attempt).id(inScope(this.#scope, nameOf("edit", "", options.key)));
      const record = callsOf(this.#attempt).record(call);
      if (record?.kind === "edit") return this.#inTurn(recall(this.#attempt, record.value) as Result);
      return this.#cell.edit((draft) => {
        this.#attempt.assertAlive(); // the attempt may end before its turn comes
        return edit(draft as never);
      }, this.#writer(call));
    });
  }

  /** Done once per work item; again when the value differs from the one set before. */
  #write(
    { kind, about, options = {}, value }: { kind: string; about: string; options?: WriteOptions; value: unknown },
    write: (writer: Writer) => Promise<void>,
  ): Promise<void> {
    return makeCall(this.#attempt, () => {
      checkOptionNames("write", options);
      const call = callsOf(this.#attempt).id(inScope(this.#scope, nameOf(kind, about, options.key)));
      const record = callsOf(this.#attempt).record(call);
      if (record?.kind === "edit" && sameValue(record.value, value)) return this.#inTurn(undefined);
      return write(this.#writer(call));
    });
  }

  /** Counts as a call at work during the host's turn, so that a step that does not await it does not end earlier. */
  #inTurn<Value>(value: Value): Promise<Value> {
    const { clock } = this.#attempt.run.host.ports;
    if (!isTurnOver(clock.now())) return Promise.resolve(value);
    const calls = callsOf(this.#attempt);
    const answer = new CallPromise<Value>((resolve) =>
      afterTurn(clock, () => {
        calls.over(answer);
        resolve(value);
      }),
    );
    calls.begin(answer, { isResting: false, promise: answer });
    return answer;
  }

  #writer(call: string): Writer {
    return { token: this.#attempt, note: call };
  }
}

// ---- the state of a run: its commits become ticks

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
