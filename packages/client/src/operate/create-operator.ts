import type { BudgetReport, DaySpending, QueueLimitsShown, QueueState, WorkerState } from "millrace/runtime";
import {
  type BudgetParams,
  type BudgetRecord,
  type DaySpendingRecord,
  fromWire,
  type Path,
  type PositionRecord,
  type QueueLimitBody,
  type QueueLimitsRecord,
  type QueueListRecord,
  type QueueStateRecord,
  type ScheduleEditBody,
  type ScheduleRecord,
  type TestParams,
  type WorkerListRecord,
  type WorkerRecord,
} from "millrace/wire";
import type { CallOptions, KeyedOptions } from "../call.types.js";
import type { ClientOptions } from "../client.types.js";
import { hasCode } from "../client-error.js";
import { openTransport } from "../http/open-transport.js";
import { type Call, pathTo, type Transport } from "../http/transport.js";
import { checkOptions } from "../options/check-options.js";
import * as rules from "../options/rules.js";
import { toSchedule } from "../run/schedules.js";
import { newId } from "../system.js";
import { encodeStart } from "../wire/event.js";
import type { Operator, RunTest, RunTestOptions, ScheduleEdit } from "./operator.types.js";

/**
 * Creates a client for the queues, the budgets, the workers and the schedules of a server: what an operator looks after. An app that starts and
 * follows runs needs `createClient` alone.
 *
 * @throws {ClientError} `OPTION_INVALID` naming every problem.
 */
export function createOperator(options: ClientOptions): Operator {
  checkOptions("createOperator", options, rules.client);
  const transport = openTransport(options);
  return {
    queues: queuesOf(transport),
    budgets: budgetsOf(transport),
    runTest: (handlerId, options) => runTest(transport, handlerId, options),
    workers: workersOf(transport),
    schedules: schedulesOf(transport),
  };
}

function queuesOf(transport: Transport): Operator["queues"] {
  const ask = (call: Call): Promise<QueueState> =>
    transport.read<QueueStateRecord, QueueState>(call, "paused", toQueue);
  const change =
    (how: "pause" | "resume" | "reset") =>
    async (name: string, options: CallOptions = {}): Promise<QueueState> => {
      checkOptions(`queues.${how}`, options, rules.call);
      return ask(changing(pathTo(`/queues/{name}/${how}`, { name }), options));
    };
  return {
    list: async (options = {}) => {
      checkOptions("queues.list", options, rules.call);
      const call = get("/queues" satisfies Path, options);
      return transport.read<QueueListRecord, QueueState[]>(call, "queues", ({ queues }) => queues.map(toQueue));
    },
    get: async (name, options = {}) => {
      checkOptions("queues.get", options, rules.call);
      return ask(get(pathTo("/queues/{name}", { name }), options)).catch((error: unknown) => {
        if (hasCode(error, "QUEUE_UNKNOWN")) return null;
        throw error;
      });
    },
    pause: change("pause"),
    resume: change("resume"),
    reset: change("reset"),
    limit: async (name, limits, options = {}) => {
      checkOptions("queues.limit", limits, limitRules);
      checkOptions("queues.limit", options, rules.call);
      return ask(changing(pathTo("/queues/{name}/limit", { name }), options, toBody(limits)));
    },
    position: async (handlerId, options = {}) => {
      checkOptions("queues.position", options, rules.call);
      const call = get(pathTo("/handlers/{id}/position", { id: handlerId }), options);
      return transport.read(call, "position", ({ position }: PositionRecord) => {
        if (position === null) return null;
        const { estimate_ms: estimateMs, ...same } = position;
        return { ...same, estimateMs };
      });
    },
  };
}

function workersOf(transport: Transport): Operator["workers"] {
  return {
    list: async (options = {}) => {
      checkOptions("workers.list", options, rules.call);
      const call = get("/workers" satisfies Path, options);
      return transport.read<WorkerListRecord, WorkerState[]>(call, "workers", ({ workers }) => workers.map(toWorker));
    },
  };
}

function budgetsOf(transport: Transport): Operator["budgets"] {
  return {
    run: async (handlerId, options = {}) => {
      checkOptions("budgets.run", options, rules.call);
      const call = get(pathTo("/handlers/{id}/budget", { id: handlerId }), options);
      return transport.read<BudgetRecord, BudgetReport>(call, "spent", (budget) => budget);
    },
    tenants: async (options = {}) => {
      checkOptions("budgets.tenants", options, dayRules);
      const query: BudgetParams = { ...(options.day !== undefined && { day: options.day }) };
      const call = { ...get("/budgets" satisfies Path, options), query };
      return transport.read<DaySpendingRecord, DaySpending>(call, "tenants", (spending) => spending);
    },
  };
}

function schedulesOf(transport: Transport): Operator["schedules"] {
  const ask = (call: Call) => transport.read<ScheduleRecord, ReturnType<typeof toSchedule>>(call, "cron", toSchedule);
  return {
    edit: async (name, edit) => {
      checkOptions("schedules.edit", edit, editRules);
      return ask(changing(pathTo("/schedules/{name}/edit", { name }), edit, toEdit(edit)));
    },
    reset: async (name, options = {}) => {
      checkOptions("schedules.reset", options, rules.call);
      return ask(changing(pathTo("/schedules/{name}/reset", { name }), options));
    },
    start: async (name, options: KeyedOptions = {}) => {
      checkOptions("schedules.start", options, rules.keyed);
      const call = { ...changing(pathTo("/schedules/{name}/start", { name }), options), key: options.key ?? newId() };
      return transport.read(call, "handler_id", ({ handler_id: id }: { readonly handler_id: string }) => id);
    },
  };
}

async function runTest(transport: Transport, id: string, options: RunTestOptions = {}): Promise<RunTest> {
  checkOptions("runTest", options, testRules);
  const query: TestParams = { redact: options.redact };
  return transport.read<RunTest, RunTest>(
    { ...get(pathTo("/handlers/{id}/test", { id }), options), query },
    "test",
    (files) => files,
  );
}

const dayRules = rules.rulesOf("signal day");
const testRules = rules.rulesOf("signal redact:texts");
/** What a limit may be, the server says. */
const limitRules = { concurrency: () => [], perKey: () => [], rate: () => [] };
const editRules = rules.rulesOf("signal cron timezone input:object");

function get(path: string, { signal }: CallOptions): Call {
  return { method: "GET", path, signal };
}

/** Each may be repeated: it says what is to be, not by how much. */
function changing(path: string, { signal }: CallOptions, body?: unknown): Call {
  return { method: "POST", path, body, repeatable: true, signal };
}

function toBody({ concurrency, perKey, rate }: Partial<QueueLimitsShown>): QueueLimitBody {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(perKey !== undefined && { per_key: perKey }),
    ...(rate !== undefined && { rate: rate && { limit: rate.limit, per_ms: rate.perMs } }),
  };
}

function toEdit({ cron, timezone, input }: ScheduleEdit): ScheduleEditBody {
  return { cron, timezone, ...(input !== undefined && { start_event: encodeStart(input) }) };
}

function toQueue({ limits, configured, keys, ...record }: QueueStateRecord): QueueState {
  return {
    ...fromWire(record),
    limits: toLimits(limits),
    configured: configured && toLimits(configured),
    keys: keys.map((key) => fromWire(key)),
  };
}

function toLimits({ concurrency, per_key: perKey, rate }: QueueLimitsRecord): QueueLimitsShown {
  return { concurrency, perKey, rate: rate && { limit: rate.limit, perMs: rate.per_ms } };
}

function toWorker({ alive, queues, ...record }: WorkerRecord): WorkerState {
  const limits = Object.entries(queues).map(([name, one]) => [name, toLimits(one)] as const);
  return { ...fromWire(record), isAlive: alive, queues: Object.fromEntries(limits) };
}
