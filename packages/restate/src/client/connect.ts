import type { Log } from "millrace";
import { checkOptions, type Rules, unchecked, valueRule, wholeNumber } from "millrace/engine";
import { createRuntime, type Runtime, type Workflows } from "millrace/runtime";
import { movingUnsupported, queueUnsupported, unsupported } from "../errors.js";
import { recordsRule } from "../host/options.js";
import type { RecordStore } from "../kept/record-store.js";
import { Ingress } from "./ingress.js";
import { createRestateStore } from "./restate-store.js";

export interface ConnectOptions<Flows extends Workflows> {
  /** The workflows of the host, by the same names. They do not run here: they define how events are encoded. */
  readonly workflows: Flows;
  /** Address of Restate's ingress, such as `http://localhost:8080`. */
  readonly ingress: string;
  /** Address of its admin API, such as `http://localhost:9070`: for lists of runs. */
  readonly admin?: string;
  /** Headers of every request, such as the API key of a hosted Restate. */
  readonly headers?: { readonly [name: string]: string };
  /** @default `fetch` of the platform */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds between two polls of a run that is awaited; up to five times as long while nothing new is sent to it. At least 20. @default 200 */
  readonly pollMs?: number;
  /**
   * The store of records that the hosts use: for `runtime.records`, schedules, `dedupe` and the sessions of pipelines. It holds no runs. The
   * caller closes it. @default none: what needs a record fails with `RESTATE_UNSUPPORTED`
   */
  readonly records?: RecordStore;
  readonly log?: Log;
}

/**
 * A client for the runs of a host. It has the interface of a runtime, but every run is in the memory of a host.
 *
 * `fork`, `export`, `import` and `run` with `queue` fail with `RESTATE_UNSUPPORTED`; so do `records`, `schedules` and `run` with `dedupe` without the option
 * `records`, and lists of runs without `admin`. `due` returns no runs: Restate wakes them itself.
 *
 * @example
 * const runtime = connect({ workflows: { digest: new Digest() }, ingress: "http://localhost:8080" });
 * const result = await runtime.run("digest", { folder: "docs" });
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`.
 */
export function connect<const Flows extends Workflows>(options: ConnectOptions<Flows>): Runtime<Flows> {
  checkOptions("The options of `connect` are wrong", options, { rules });
  const { workflows, ingress, admin, headers = {}, fetch = globalThis.fetch, pollMs = 200, records, log } = options;
  const addresses = { ingress: bare(ingress), admin: admin === undefined ? null : bare(admin), headers, fetch };
  const store = createRestateStore({
    ingress: new Ingress(addresses),
    hasAdmin: admin !== undefined,
    pollMs,
    records: records ?? null,
  });
  const runtime = createRuntime({ workflows, store, ...(log !== undefined && { log }) });
  const run = runtime.run.bind(runtime) as Runtime["run"];
  return Object.assign(runtime, {
    run: ((name, input, given) => {
      if (given?.queue !== undefined) throw queueUnsupported();
      return run(name, input, given);
    }) as Runtime["run"],
    fork: (): never => {
      throw unsupported("A fork", "Fork the run in a runtime with a store, from its `snapshot()`.");
    },
    export: (): never => {
      throw movingUnsupported();
    },
    import: () => Promise.reject(movingUnsupported()),
  });
}

const address = valueRule(
  (value) => typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value),
  'an address such as "http://localhost:8080"',
);

const rules: Rules<ConnectOptions<Workflows>> = {
  ingress: (ingress, option) => (ingress === undefined ? [`\`${option}\` is missing`] : address(ingress, option)),
  admin: address,
  pollMs: wholeNumber(20),
  records: recordsRule,
  ...unchecked("workflows headers fetch log"),
};

function bare(address: string): string {
  return address.replace(/(?<!\/)\/+$/, "");
}
