/**
 * Requests to resume a run that was cancelled, or to retry one that has failed.
 *
 * With a key, a request counts once: the key is stored together with the tick that resumes the run.
 *
 * @module
 */
import { Deferred } from "../../system/deferred.js";
import { idOf, storedRun } from "../store/run-key.js";
import type { ClaimedRun, ContinueRequest, RunKey, RunStore, StoredStatus } from "../store/run-store.types.js";
import { cannotResume, runtimeStopped, runUnknown } from "../store/runtime-errors.js";
import { assertHere } from "../store/sealed-run.js";
import type { RunRegistry } from "../worker/claim/registry.js";
import { resumeText } from "../worker/run/posts.js";
import { waitForChange } from "./wait-for-change.js";

/** What the store keeps of a request with a key. */
const receipt = '{"status":"accepted","sequence":0}';

const allowed: { readonly [How in ContinueRequest["how"]]: readonly StoredStatus[] } = {
  resume: ["cancelled"],
  retry: ["failed", "timedOut"],
};

export class ResumeRequests {
  readonly #registry: RunRegistry;
  /** The last request for each run. */
  readonly #turns: Map<string, Promise<void>> = new Map();

  constructor(registry: RunRegistry) {
    this.#registry = registry;
  }

  /**
   * Resolves once it is stored. Requests for one run come after each other: the next one finds what the one before has done.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_FINISHED`, `RUN_NOT_RETRYABLE`, and what keeps the run from being loaded.
   */
  ask(key: RunKey, request: ContinueRequest): Promise<void> {
    const id = idOf(key);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(() => this.#serve(key, request));
    const over = turn
      .catch(() => {}) // the caller gets the error
      .then(() => {
        if (this.#turns.get(id) === over) this.#turns.delete(id);
      });
    this.#turns.set(id, over);
    return turn;
  }

  async #serve(key: RunKey, request: ContinueRequest): Promise<void> {
    const registry = this.#registry;
    const live = registry.live.get(idOf(key));
    if (live !== undefined && live.phase !== "live") await live.left; // how it ended is stored then
    let heldUntilMs: number | null = null;
    const look = async (): Promise<true | undefined> => {
      heldUntilMs = await this.#try(key, request);
      return heldUntilMs === null ? true : undefined;
    };
    // The owner may have died without a change of the run.
    const timer = (again: () => void): (() => void) => registry.clock.setTimer(heldUntilMs ?? 0, again);
    await waitForChange({ registry, key }, look, { timer });
  }

  /** Returns when the present lease ends; `null` once the request is served. */
  async #try(key: RunKey, request: ContinueRequest): Promise<number | null> {
    const registry = this.#registry;
    registry.assertOpen();
    const { runsElsewhere, requestContinue } = registry.store;
    if (runsElsewhere === true && requestContinue !== undefined)
      return this.#askElsewhere(key, request, requestContinue);
    const run = await storedRun(registry.store, key);
    if (await this.#isDone(key, request)) return null;
    assertHere(run);
    if (request.how === "resume" && run.outcome === null) return this.#stay(key, request);
    if (!allowed[request.how].includes(run.status)) throw cannotResume(key.runId, run.status, request.how);
    const claimed = await registry.store.claim(key, { ...registry.lease, ended: true, ignoreQueueLimits: true });
    if (claimed === null) return (await registry.store.run(key))?.lease?.untilMs ?? registry.clock.now();
    return this.#begin(claimed, request);
  }

  async #askElsewhere(
    key: RunKey,
    request: ContinueRequest,
    requestContinue: NonNullable<RunStore["requestContinue"]>,
  ): Promise<null> {
    const { how, idempotencyKey } = request;
    const scopedKey = idempotencyKey === null ? null : scoped(how, idempotencyKey);
    const result = await requestContinue(key, { ...request, idempotencyKey: scopedKey });
    if (result.status === "unknown") throw runUnknown(key);
    if (result.status === "refused") throw cannotResume(key.runId, result.run.status, how);
    return null;
  }

  /** The run has not ended: nothing is to be done, once and for all. */
  async #stay(key: RunKey, { how, idempotencyKey }: ContinueRequest): Promise<number | null> {
    const registry = this.#registry;
    if (idempotencyKey !== null) {
      const message = { idempotencyKey: scoped(how, idempotencyKey), atMs: registry.clock.now(), text: resumeText };
      const posted = await registry.store.post(key, message);
      if (posted.status === "ended") return registry.clock.now(); // a moment ago
    }
    await registry.open(key);
    if (idempotencyKey !== null) await registry.deliverPosts(key);
    return null;
  }

  async #begin(claimed: ClaimedRun, request: ContinueRequest): Promise<number | null> {
    const registry = this.#registry;
    const { key, epoch, status } = claimed.run;
    // From here on, no other process changes it.
    if (!allowed[request.how].includes(status) || (await this.#isDone(key, request))) {
      await registry.store.commit([{ key, owner: registry.owner, epoch, release: true }]);
      return registry.clock.now();
    }
    const stored = new Deferred<void>();
    const { how, idempotencyKey, by } = request;
    const received = idempotencyKey === null ? [] : [{ idempotencyKey: scoped(how, idempotencyKey), receipt }];
    if ((await registry.loadClaimed(claimed, { why: how, request: { received, by, stored } })) === null)
      throw runtimeStopped();
    await stored.promise; // from now on, readers do not see it as ended
    return null;
  }

  async #isDone(key: RunKey, { how, idempotencyKey }: ContinueRequest): Promise<boolean> {
    return idempotencyKey !== null && (await this.#registry.store.receipt(key, scoped(how, idempotencyKey))) !== null;
  }
}

/** One key may come with requests of several kinds: each counts by itself. */
export function scoped(kind: "resume" | "retry" | "cancel", key: string): string {
  return `${kind} ${key}`;
}
