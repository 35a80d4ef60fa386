/**
 * Runs that are asked to go on: cancelled ones to be resumed, failed ones to be tried again.
 *
 * With a key, a request counts once: the key is stored together with the tick that says that the run goes on.
 *
 * @module
 */
import { createDeferred } from "../run/deferred.js";
import { whenChanged } from "./change.js";
import type { RunDesk } from "./desk.js";
import { resumeText } from "./posts.js";
import { idOf } from "./run-key.js";
import type { ClaimedRun, ReceivedMessage, RunKey, StoredStatus } from "./run-store.types.js";
import { cannotGoOn, runtimeStopped, runUnknown } from "./runtime-errors.js";

export interface GoingOnRequest {
  readonly how: "resume" | "retry";
  /** Null: it counts every time. */
  readonly idempotencyKey: string | null;
}

const allowed: { readonly [How in GoingOnRequest["how"]]: readonly StoredStatus[] } = {
  resume: ["cancelled"],
  retry: ["failed", "timedOut"],
};

export class GoingOn {
  readonly #desk: RunDesk;
  /** The last request for each run. */
  readonly #turns: Map<string, Promise<void>> = new Map();

  constructor(desk: RunDesk) {
    this.#desk = desk;
  }

  /**
   * Resolves once it is stored. Requests for one run come after each other: the next one finds what the one before has done.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_FINISHED`, `RUN_NOT_RETRYABLE`, and what keeps the run from being loaded.
   */
  ask(key: RunKey, request: GoingOnRequest): Promise<void> {
    const id = idOf(key);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(() => this.#goOn(key, request));
    const over = turn
      .catch(() => {}) // whoever asked is told
      .then(() => {
        if (this.#turns.get(id) === over) this.#turns.delete(id);
      });
    this.#turns.set(id, over);
    return turn;
  }

  async #goOn(key: RunKey, request: GoingOnRequest): Promise<void> {
    const desk = this.#desk;
    const live = desk.live.get(idOf(key));
    if (live !== undefined && live.phase !== "live") await live.left; // how it ended is stored then
    let again: () => void = () => {};
    let callOff: () => void = () => {};
    const look = async (): Promise<true | undefined> => {
      callOff();
      const heldUntilMs = await this.#try(key, request);
      if (heldUntilMs === null) return true;
      // Whoever has it may be gone without a change of the run.
      callOff = desk.clock.setTimer(heldUntilMs, () => again());
      return undefined;
    };
    try {
      const wake = (lookAgain: () => void): void => {
        again = lookAgain;
      };
      await whenChanged({ desk, key }, look, { wake });
    } finally {
      callOff();
    }
  }

  /** Null: it is done. Else until when somebody else has the run. */
  async #try(key: RunKey, request: GoingOnRequest): Promise<number | null> {
    const desk = this.#desk;
    desk.assertOpen();
    const run = await desk.store.run(key);
    if (run === null) throw runUnknown(key);
    if (await this.#isDone(key, request)) return null;
    if (request.how === "resume" && run.outcome === null) return this.#stay(key, request);
    if (!allowed[request.how].includes(run.status)) throw cannotGoOn(key.runId, run.status, request.how);
    const claimed = await desk.store.claim(key, { ...desk.lease, ended: true });
    if (claimed === null) return (await desk.store.run(key))?.lease?.untilMs ?? desk.clock.now();
    return this.#begin(claimed, request);
  }

  /** The run has not ended: nothing is to be done, once and for all. */
  async #stay(key: RunKey, { how, idempotencyKey }: GoingOnRequest): Promise<number | null> {
    const desk = this.#desk;
    if (idempotencyKey !== null) {
      const message = { idempotencyKey: scoped(how, idempotencyKey), atMs: desk.clock.now(), text: resumeText };
      const posted = await desk.store.post(key, message);
      if (posted.status === "ended") return desk.clock.now(); // a moment ago
    }
    await desk.open(key);
    if (idempotencyKey !== null) await desk.deliverPosts(key);
    return null;
  }

  async #begin(claimed: ClaimedRun, request: GoingOnRequest): Promise<number | null> {
    const desk = this.#desk;
    const { key, epoch, status } = claimed.run;
    // From here on nobody else changes it.
    if (!allowed[request.how].includes(status) || (await this.#isDone(key, request))) {
      await desk.store.commit([{ key, owner: desk.owner, epoch, release: true }]);
      return desk.clock.now();
    }
    const stored = createDeferred<void>();
    const received = messageOf(request.how, request.idempotencyKey);
    if ((await desk.adopt(claimed, request.how, { received, stored })) === null) throw runtimeStopped();
    await stored.promise; // whoever reads it now does not find it ended
    return null;
  }

  async #isDone(key: RunKey, { how, idempotencyKey }: GoingOnRequest): Promise<boolean> {
    return idempotencyKey !== null && (await this.#desk.store.receipt(key, scoped(how, idempotencyKey))) !== null;
  }
}

/** One key may come with requests of several kinds: each counts by itself. */
export function scoped(kind: "resume" | "retry" | "cancel", key: string): string {
  return `${kind} ${key}`;
}

/** What the store keeps of a request with a key. */
export function messageOf(kind: "resume" | "retry" | "cancel", key: string | null): ReceivedMessage[] {
  return key === null ? [] : [{ idempotencyKey: scoped(kind, key), receipt: '{"status":"accepted","sequence":0}' }];
}
