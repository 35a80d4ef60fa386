/** The store as a step holds it: every write is matched with the recorded calls of the work item. */
import type { WriteOptions } from "../../authoring/store.types.js";
import { sameValue } from "../../event/equal.js";
import { CallPromise } from "../../state/edit-context.js";
import type { Path } from "../../state/prepare-change.js";
import type { StateStore, Writer } from "../../state/state-store.js";
import { afterTurn, isTurnOver } from "../../system/system.js";
import { assertFunction, checkOptionNames } from "../../value/options.js";
import type { AttemptCore } from "../live-run.js";
import { inScope, nameOf } from "./call-ids.js";
import { callsOf, recall } from "./calls.js";
import { makeCall } from "./forgotten-calls.js";

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
