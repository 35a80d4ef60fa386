/**
 * A runtime for one request.
 *
 * It borrows the store: it does not close it, and recovers due runs only with `onClaimed`, or the one that it is about.
 * Closing it leaves no lease, timer or watcher behind.
 *
 * @module
 */
import type { Log, Workflow } from "millrace";
import { wrapStore } from "millrace/engine";
import {
  type ClaimedRun,
  createRuntime,
  type RunKey,
  type RunStore,
  type Runtime,
  type Workflows,
} from "millrace/runtime";
import { nowMs } from "../system.js";

export interface RequestRuntimeSetup {
  readonly workflows: { readonly [name: string]: Workflow };
  readonly store: RunStore;
  readonly log: Log;
  /**
   * The run that the request is about. Another request may have it, and may leave it in the middle of its work, or before
   * it has read a message of this one, or may be killed: then this request takes it up.
   */
  readonly about?: RunKey | null;
  /** Called when the runtime loads a stored run. */
  readonly onTaken?: () => void;
  /** Recovers due runs and receives their keys. @default all other due runs are left alone */
  readonly onClaimed?: (keys: readonly RunKey[]) => void;
}

export function openRequestRuntime(setup: RequestRuntimeSetup): Runtime<Workflows> {
  const { workflows, store, log, about = null, onTaken, onClaimed } = setup;
  const claim: RunStore["claim"] = async (key, lease) => {
    const claimed = await store.claim(key, lease);
    if (claimed !== null) onTaken?.();
    return claimed;
  };
  const own: Partial<RunStore> = {
    close: async () => {},
    // If the request that holds the run is killed, no release is reported.
    nextWakeAtMs: async (of = {}) => {
      if (of.heldAfterMs !== undefined) return store.nextWakeAtMs(of);
      const untilMs = about === null ? null : ((await store.run(about))?.lease?.untilMs ?? null);
      return untilMs !== null && untilMs > nowMs() ? untilMs : null;
    },
    claim,
    claimDue: async (request) => {
      if (onClaimed === undefined) return about === null ? [] : claimDueRun({ store, claim, about }, request);
      const claimed = await store.claimDue(request);
      onClaimed(claimed.map(({ run }) => run.key));
      return claimed;
    },
  };
  const borrowed = wrapStore(store, (name, method) => own[name] ?? method);
  return createRuntime({ workflows, store: borrowed, log }) as unknown as Runtime<Workflows>;
}

interface About {
  readonly store: RunStore;
  readonly claim: RunStore["claim"];
  readonly about: RunKey;
}

/** The rule of `claimDue` for one run: it has no owner, and it is active or a message waits for it. */
async function claimDueRun({ store, claim, about }: About, lease: Claim): Promise<ClaimedRun[]> {
  const run = await store.run(about);
  if (run === null || run.endedAtMs !== null || (run.lease !== null && run.lease.untilMs > lease.nowMs)) return [];
  if (run.status !== "running" && (await store.posts(about)).length === 0) return [];
  const claimed = await claim(about, { owner: lease.owner, nowMs: lease.nowMs, untilMs: lease.untilMs });
  return claimed === null ? [] : [claimed];
}

type Claim = Parameters<RunStore["claimDue"]>[0];
