/** The metrics, as Prometheus reads them, and the dashboard that shows them. */
import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { defineWorkflow, NonRetryableError, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { metricFacts } from "../src/index.js";
import { openSdk } from "./support/sdk.js";
import { Approval, tripFlow } from "./support/trip.js";
import { parsePrometheus, type Sample } from "./support/values.js";

/** Everything that there is to measure happens once, but for what only agents and lost leases do. */
async function measured(): Promise<Sample[]> {
  const sdk = openSdk({ queueDepthEveryMs: 0 });
  const fails = defineWorkflow("fails")
    .step("work", { on: StartEvent, emits: StopEvent }, async () => {
      throw new NonRetryableError("no");
    })
    .build();
  const runtime = createRuntime({
    workflows: { trip: tripFlow(() => {}), fails },
    store: memoryStore(),
    telemetry: sdk.telemetry,
    queues: { slow: { concurrency: 1 } },
    idleReleaseMs: 0,
    log: { info() {}, error() {} },
  });
  await runtime.start();
  const handle = runtime.run("trip", {}, { queue: "slow", runId: "one" });
  await handle.accepted;
  await handle.idle();
  const waiting = runtime.run("trip", {}, { queue: "slow", runId: "two", startAt: Date.now() + 3_600_000 });
  await waiting.accepted;
  await handle.sendEvent(new Approval({ by: "ada" }));
  await handle;
  await runtime.run("fails", {}).catch(() => {});
  const samples = parsePrometheus(await sdk.metrics.text());
  await runtime.stop({ drainMs: 0 });
  return samples;
}

let samples: Sample[] = [];
beforeAll(async () => {
  samples = await measured();
}, 60_000);
const sampleOf = (name: string, labels: { readonly [name: string]: string } = {}): number | undefined =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;

/** What `GET /metrics` calls a metric. */
function prometheusName(name: string): string {
  const base = name.replaceAll(".", "_");
  return metricFacts[name as keyof typeof metricFacts].kind === "counter" ? `${base}_total` : base;
}

describe("the metrics of a runtime", () => {
  it("count runs, attempts and retries", () => {
    const trip = { millrace_workflow_name: "trip" };

    expect(sampleOf("millrace_run_started_total", trip)).toBe(1);
    expect(sampleOf("millrace_run_ended_total", { ...trip, millrace_run_status: "completed" })).toBe(1);
    expect(
      sampleOf("millrace_run_ended_total", { millrace_workflow_name: "fails", millrace_run_status: "failed" }),
    ).toBe(1);
    expect(sampleOf("millrace_run_duration_count", trip)).toBe(1);
    expect(sampleOf("millrace_step_retries_total", { ...trip, millrace_step_name: "book" })).toBe(1);
    const booked = { ...trip, millrace_step_name: "book", millrace_step_status: "completed" };
    expect(sampleOf("millrace_step_duration_count", booked)).toBe(3);
    expect(sampleOf("millrace_run_resumed_total", trip)).toBeGreaterThanOrEqual(1);
  });

  it("say what the runtime and its store do", () => {
    expect(sampleOf("millrace_store_commit_duration_count", { millrace_store_stored: "true" })).toBeGreaterThan(5);
    expect(sampleOf("millrace_store_commit_size_sum")).toBeGreaterThan(1_000);
    expect(sampleOf("millrace_store_commit_run_count_count")).toBeGreaterThan(5);
    expect(sampleOf("millrace_runtime_claim_lag_count", { millrace_workflow_name: "trip" })).toBeGreaterThan(0);
    expect(sampleOf("millrace_runtime_run_count")).toBeGreaterThanOrEqual(0);
    expect(sampleOf("millrace_queue_depth", { millrace_queue_name: "slow" })).toBe(1);
  });

  it("have the names, units and attributes of the table", () => {
    const onlyElsewhere = [
      "millrace.runtime.lease.lost",
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
    ];
    const here = Object.keys(metricFacts).filter((name) => !onlyElsewhere.includes(name));
    const seen = new Set(
      samples
        .filter(({ name }) => name !== "target_info")
        .map(({ name }) =>
          name
            .replace(/_run_count_(bucket|sum|count)$/, "_run_count")
            .replace(/(?<!_run)_count$/, "")
            .replace(/_(bucket|sum)$/, ""),
        ),
    );

    expect([...seen].sort()).toEqual(here.map(prometheusName).sort());
  });
});

interface Panel {
  readonly title: string;
  readonly panels?: readonly Panel[];
  readonly targets?: readonly { readonly expr: string }[];
}

describe("the dashboard", () => {
  const { panels } = JSON.parse(readFileSync(new URL("../grafana/millrace.json", import.meta.url), "utf8")) as {
    readonly panels: readonly Panel[];
  };
  const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
  const known = new Set(
    Object.keys(metricFacts).flatMap((name) => {
      const metric = prometheusName(name);
      return metricFacts[name as keyof typeof metricFacts].kind === "histogram"
        ? [`${metric}_bucket`, `${metric}_sum`, `${metric}_count`]
        : [metric];
    }),
  );

  it.each(queries)("asks for what there is: %s", (_, expr) => {
    const text = expr.replaceAll("$__rate_interval", "5m").replaceAll("$workflow", "trip");
    const tree = parser.parse(text);
    const wrong: string[] = [];
    const named: string[] = [];
    tree.iterate({
      enter: (node) => {
        if (node.type.isError) wrong.push(text.slice(node.from, node.to) || "something is missing");
        if (node.name === "Identifier" && node.node.parent?.name === "VectorSelector")
          named.push(text.slice(node.from, node.to));
      },
    });

    expect(wrong).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it("shows every metric", () => {
    const text = queries.map(([, expr]) => expr).join("\n");
    const missing = Object.keys(metricFacts).filter((name) => !text.includes(prometheusName(name)));

    expect(missing).toEqual([]);
  });
});
