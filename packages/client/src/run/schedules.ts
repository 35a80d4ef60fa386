/** Requests about schedules. */
import { fromWire, type Path, type ScheduleBody, type ScheduleListRecord, type ScheduleRecord } from "millrace/wire";
import type { CallOptions } from "../call.types.js";
import { hasCode } from "../client-error.js";
import { type Call, pathTo } from "../http/transport.js";
import { checkOptions } from "../options/check-options.js";
import * as rules from "../options/rules.js";
import type { ClientSchedules, Schedule, SchedulePage } from "../schedules.types.js";
import { newId } from "../system.js";
import { encodeStart } from "../wire/event.js";
import type { Connection } from "./handler-calls.js";

export function schedulesOf({ transport }: Connection): ClientSchedules<{ readonly [name: string]: never }> {
  const ask = (call: Call): Promise<Schedule> => transport.read(call, "cron", toSchedule);
  const change = (name: string, how: "pause" | "resume", options: CallOptions): Promise<Schedule> => {
    checkOptions(`schedules.${how}`, options, rules.call);
    return ask({
      method: "POST",
      path: pathTo(`/schedules/{name}/${how}`, { name }),
      key: newId(),
      signal: options.signal,
    });
  };
  return {
    set: async (name, options) => {
      checkOptions("schedules.set", { ...options, cron: options?.cron ?? null }, rules.schedule);
      const { workflow, input = {}, catchUp, queueKey, signal, ...same } = options;
      const start = { workflow_name: workflow, start_event: encodeStart(input) };
      const body: ScheduleBody = { ...same, ...start, catch_up: catchUp, queue_key: queueKey };
      return ask({ method: "PUT", path: pathTo("/schedules/{name}", { name }), body, key: newId(), signal });
    },
    get: async (name, options = {}) => {
      checkOptions("schedules.get", options, rules.call);
      const found = ask({ method: "GET", path: pathTo("/schedules/{name}", { name }), signal: options.signal });
      return found.catch((error: unknown) => {
        if (hasCode(error, unknown)) return null;
        throw error;
      });
    },
    list: async (filter = {}): Promise<SchedulePage> => {
      checkOptions("schedules.list", filter, rules.page);
      const { signal, ...query } = filter;
      const call: Call = { method: "GET", path: "/schedules" satisfies Path, query, signal };
      return transport.read<ScheduleListRecord, SchedulePage>(call, "schedules", ({ schedules, cursor }) => {
        return { schedules: schedules.map(toSchedule), cursor };
      });
    },
    pause: async (name, options = {}) => change(name, "pause", options),
    resume: async (name, options = {}) => change(name, "resume", options),
    delete: async (name, options = {}) => {
      checkOptions("schedules.delete", options, rules.call);
      const call: Call = {
        method: "DELETE",
        path: pathTo("/schedules/{name}", { name }),
        key: newId(),
        signal: options.signal,
      };
      await transport.json<{ status: string }>(call, "status").catch((error: unknown) => {
        if (!hasCode(error, unknown)) throw error; // also when an attempt whose answer was lost has deleted it
      });
    },
    next: async (name, count = 1, options = {}) => {
      checkOptions("schedules.next", { ...options, count }, rules.next);
      const call: Call = {
        method: "GET",
        path: pathTo("/schedules/{name}/next", { name }),
        query: { count },
        signal: options.signal,
      };
      return transport.read<{ next: string[] }, Date[]>(call, "next", ({ next }) => next.map((time) => new Date(time)));
    },
  };
}

const unknown = "SCHEDULE_UNKNOWN";

export function toSchedule({ last, queued_at: queued, skips, edited, ...record }: ScheduleRecord): Schedule {
  return {
    ...fromWire(record),
    edited: edited && fromWire(edited),
    last: last && fromWire(last),
    queuedAtMs: queued.map((time) => Date.parse(time)),
    skips: skips.map(fromWire),
  };
}
