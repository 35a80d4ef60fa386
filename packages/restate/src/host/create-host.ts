import { createActivations } from "millrace/engine";
import { sha256 } from "../hash.js";
import { type InboxObject, inboxObject } from "./inbox-object.js";
import { MAX_TEXT_LENGTH } from "./messages.js";
import { type RestateHostOptions, resolveHostOptions } from "./options.js";
import { type RunObject, runObject } from "./run-object.js";

export interface RestateHost {
  /** Services for `serve({ services })`, or for the endpoint of a platform. */
  readonly services: readonly [RunObject, InboxObject];
  /** Disposes the resources that its runs share. Active runs continue in other processes; the store of `records` stays open. */
  dispose(): Promise<void>;
}

/**
 * Makes the services that run workflows on Restate.
 *
 * @example
 * const host = createRestateHost({ workflows: { digest: new Digest() } });
 * await serve({ services: [...host.services], port: 9080 });
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`.
 */
export function createRestateHost(options: RestateHostOptions): RestateHost {
  const { workflows, session, version, snapshotEvery, history, records, log, ...how } = resolveHostOptions(options);
  const activations = createActivations({
    workflows,
    hash: sha256,
    version,
    snapshotEvery,
    history,
    maxTickLength: MAX_TEXT_LENGTH,
    ...(log !== undefined && { log }),
  });
  return {
    services: [runObject({ activations, session, records }, how), inboxObject({ session, ...how })],
    dispose: () => activations.dispose(),
  };
}
