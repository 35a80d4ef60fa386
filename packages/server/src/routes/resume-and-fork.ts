/** Routes that retry a run or fork it from an earlier tick. */
import { type DoneBy, WorkflowError, type WorkflowEvent } from "millrace";
import type { ForkOptions, ResumeRunOptions, RunHandle } from "millrace/runtime";
import { callerOf } from "../quota/caller.js";
import { idOfKey } from "../runs/start-run.js";
import { assertOpen, assertOverridable, openFields } from "../wire/fork-rules.js";
import { handlerRecord } from "../wire/handler-record.js";
import { forkBody, handler, idParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const route = { tag: "Handlers", params: idParams } as const;

export function mountResumeAndFork(server: Server): void {
  const { runtime, catalog } = server;
  const continued = async (handle: RunHandle): Promise<Response> => {
    await handle.accepted;
    return json(await handlerRecord(handle, catalog));
  };
  mount(server, {
    ...route,
    route: "POST /handlers/{id}/resume",
    needs: ["operate", "run"],
    operation: "resumeHandler",
    summary: "Continues a cancelled run",
    isKeyed: true,
    answers: { 200: ["The run continues", handler] },
    handle: ({ params, ...request }) => continued(runtime.resume(params.id, onceFor(request))),
  });
  mount(server, {
    ...route,
    route: "POST /handlers/{id}/retry",
    needs: ["operate", "run"],
    operation: "retryHandler",
    summary: "Runs the failed and leftover work of a failed run again",
    isKeyed: true,
    answers: { 200: ["The run continues", handler] },
    handle: ({ params, ...request }) => continued(runtime.retry(params.id, onceFor(request))),
  });
  mount(server, {
    ...route,
    route: "POST /handlers/{id}/fork",
    needs: ["fork", "run"],
    operation: "forkHandler",
    summary: "Starts a run from the state of another run after a tick",
    body: forkBody,
    isKeyed: true,
    answers: { 200: ["The new run", handler] },
    handle: async ({ context, params, body, tenant, by, idempotencyKey: key }) => {
      server.quotas.starts.spend(callerOf(server.options, context));
      const { at, handler_id: givenId, state, event, item, override } = body;
      const facts = catalog.get((await runtime.handle(params.id, { tenant }).summary()).workflow);
      if (state != null) assertOpen(facts, state, server.options.log);
      if (override != null) assertOverridable(server.options);
      const runId = givenId ?? (key === null ? null : await idOfKey(`fork of ${params.id}`, key));
      const edit = (current: Record<string, unknown>): void => void Object.assign(current, state);
      const fork: ForkOptions = {
        at,
        tenant,
        by,
        ...(runId !== null && { runId }),
        ...(state != null && { edit }),
        ...(event != null && { event: (pending: WorkflowEvent) => openFields(facts, pending, event) }),
        ...(item != null && { item }),
        ...(override != null && { override }),
      };
      try {
        return await continued(runtime.fork(params.id, fork));
      } catch (error) {
        if (key === null || runId === null || !WorkflowError.is(error, "RUN_ID_CONFLICT")) throw error;
        const made = runtime.handle(runId, { tenant });
        const { forkedFrom } = await made.summary();
        if (forkedFrom?.runId !== params.id || forkedFrom.tick !== at) throw error;
        return continued(made); // the same request, repeated
      }
    },
  });
}

interface OnceRequest {
  readonly tenant: string;
  readonly by: DoneBy;
  readonly idempotencyKey: string | null;
}

function onceFor({ tenant, by, idempotencyKey: key }: OnceRequest): ResumeRunOptions {
  return key === null ? { tenant, by } : { tenant, by, key };
}
