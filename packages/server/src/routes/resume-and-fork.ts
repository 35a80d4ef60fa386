/** Routes that retry a run or fork it from an earlier tick. */
import { type ForkState, WorkflowError, type WorkflowEvent } from "millrace";
import { roleOf } from "millrace/engine";
import type { ForkOptions, ResumeRunOptions, RunHandle } from "millrace/runtime";
import { json, mount } from "../http/route.js";
import { callerOf } from "../quota/caller.js";
import type { Server } from "../server.types.js";
import { idOfKey } from "../start-run.js";
import { handlerRecord } from "../wire/handler-record.js";
import { forkBody, handler, idParams } from "../wire/schemas.js";
import type { WorkflowFacts } from "../workflow-facts.js";

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
    operation: "resumeHandler",
    summary: "Continues a cancelled run",
    isKeyed: true,
    answers: { 200: ["The run goes on", handler] },
    handle: ({ params, ...request }) => continued(runtime.resume(params.id, onceFor(request))),
  });
  mount(server, {
    ...route,
    route: "POST /handlers/{id}/retry",
    operation: "retryHandler",
    summary: "Runs the failed and leftover work of a failed run again",
    isKeyed: true,
    answers: { 200: ["The run goes on", handler] },
    handle: ({ params, ...request }) => continued(runtime.retry(params.id, onceFor(request))),
  });
  mount(server, {
    ...route,
    route: "POST /handlers/{id}/fork",
    operation: "forkHandler",
    summary: "Starts a run from the state of another run after a tick",
    body: forkBody,
    isKeyed: true,
    answers: { 200: ["The new run", handler] },
    handle: async ({ context, params, body, tenant, idempotencyKey: key }) => {
      server.quotas.starts.spend(callerOf(server.options, context));
      const { at, handler_id: givenId, state, event, item } = body;
      const facts = catalog.get((await runtime.handle(params.id, { tenant }).summary()).workflow);
      if (state != null) assertOpen(facts, state);
      const runId = givenId ?? (key === null ? null : await idOfKey(`fork of ${params.id}`, key));
      const edit = (current: Record<string, unknown>): void => void Object.assign(current, state);
      const fork: ForkOptions = {
        at,
        tenant,
        ...(runId !== null && { runId }),
        ...(state != null && { edit }),
        ...(event != null && { event: (pending: WorkflowEvent) => openFields(facts, pending, event) }),
        ...(item != null && { item }),
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

/**
 * A caller could send such an event anyway, with any fields. Others connect the steps of the workflow, or say what a person has answered.
 *
 * @throws {WorkflowError} `EVENT_NOT_SENDABLE`
 */
function openFields<Fields>({ name, posted, isOpen }: WorkflowFacts, event: WorkflowEvent, fields: Fields): Fields {
  if (isOpen || (posted.has(event.type) && roleOf(event) !== "humanResponse")) return fields;
  throw new WorkflowError({
    code: "EVENT_NOT_SENDABLE",
    message: `Workflow "${name}" does not let callers edit ${event.type} in a fork.`,
    hint: "Fork with `state` alone, or start a new run. Whether callers may edit every event is for `internalEvents` of the server to say.",
    details: { event: event.type },
  });
}

/** @throws {WorkflowError} `STATE_CLOSED` for private state of the workflow, such as decisions of people. */
function assertOpen({ name, compiled }: WorkflowFacts, fields: Readonly<Record<string, unknown>>): void {
  const problems = problemsOf(compiled.options.forkState, fields);
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "STATE_CLOSED",
    message: `"${name}" does not take that state in a fork: ${problems.join("; ")}.`,
    hint: "Leave it out of `state`. What may be set is for `forkState`, an option of the workflow, to say.",
    details: { workflow: name, problems },
  });
}

function problemsOf(forkState: ForkState | undefined, fields: Readonly<Record<string, unknown>>): readonly string[] {
  if (forkState === undefined) return [];
  if (typeof forkState === "function") return forkState(fields);
  const open = Array.isArray(forkState) ? forkState : [];
  const closed = Object.keys(fields).filter((name) => !open.includes(name));
  return closed.map((name) => `${JSON.stringify(name)} cannot be set`);
}

interface OnceRequest {
  readonly tenant: string;
  readonly idempotencyKey: string | null;
}

function onceFor({ tenant, idempotencyKey: key }: OnceRequest): ResumeRunOptions {
  return key === null ? { tenant } : { tenant, key };
}
