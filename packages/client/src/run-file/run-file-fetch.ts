/**
 * A `fetch` that answers from a run file, as the server answered that wrote it. It makes no request.
 *
 * @module
 */
import type {
  AllCountsRecord,
  ConfigRecord,
  HandlerPage,
  HandlerRecord,
  HistoryRecord,
  MomentRecord,
  Path,
} from "millrace/wire";
import type { RunFile, SavedWorkflow } from "./run-file.types.js";

interface Question {
  readonly params: readonly string[];
  readonly query: URLSearchParams;
}

type Answers = { readonly [Of in Path]?: (question: Question) => unknown };

/**
 * Answers the requests of `createClient` from the file: nothing may be changed, and no request is made.
 *
 * @example
 * const client = createClient({ baseUrl: "http://run.file", fetch: runFileFetch(await readRunFile(bytes)) });
 */
export function runFileFetch(file: RunFile): typeof globalThis.fetch {
  const routes = Object.entries(answersOf(file)).map(([path, answer]) => ({ pattern: patternOf(path), answer }));
  return async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== "GET") return refusal(403, "READ_ONLY", "This is a file: nothing can be changed.");
    const { pathname, searchParams: query } = new URL(request.url);
    for (const { pattern, answer } of routes) {
      const params = pattern.exec(pathname)?.slice(1).map(decodeURIComponent);
      if (params === undefined) continue;
      const body = answer({ params, query });
      if (body instanceof Response) return body;
      if (body !== undefined) return Response.json(body);
    }
    return refusal(404, "RUN_UNKNOWN", `The file has nothing at ${pathname}.`);
  };
}

/** The API may be below any path. */
function patternOf(path: string): RegExp {
  return new RegExp(`${path.replace(/\{\w+\}/g, "([^/]+)")}$`);
}

function answersOf(file: RunFile): Answers {
  const { handler, entries, attempts } = file;
  const ticks = { first: entries[0]?.number ?? 0, last: entries.at(-1)?.number ?? 0 };
  const isRun = ({ params }: Question): boolean => params[0] === handler.handler_id;
  const ofRun =
    (answer: (question: Question) => unknown) =>
    (question: Question): unknown =>
      isRun(question) ? answer(question) : undefined;
  const ofWorkflow =
    (field: "schema" | "events" | "representation") =>
    ({ params: [name] }: Question): unknown =>
      file.workflows.find((one) => one.name === name)?.[field] ?? undefined;
  const momentAt = momentsOf(file);
  return {
    "/studio/config": () => config,
    "/workflows": () => workflowList(file.workflows),
    "/workflows/{name}/schema": ofWorkflow("schema"),
    "/workflows/{name}/events": ofWorkflow("events"),
    "/workflows/{name}/representation": ofWorkflow("representation"),
    "/handlers": ({ query }) => (query.get("sse") === "true" ? silence() : listOf(handler, query)),
    "/sessions": () => ({ sessions: [], cursor: null }),
    "/handlers/counts": () => countsOf(file),
    "/handlers/{id}": ofRun(() => ({ ...handler, ticks })),
    "/handlers/{id}/prompts": ofRun(() => ({ prompts: handler.prompts })),
    "/handlers/{id}/history": ofRun(({ query }) => historyOf(entries, query)),
    "/handlers/{id}/attempts": ofRun(({ query }) => ({
      attempts: attempts.filter((attempt) => attempt.started_tick > Number(query.get("after") ?? 0)),
      next: null,
    })),
    "/handlers/{id}/at/{tick}": ofRun(({ params, query }) => momentAt(Number(params[1]), query)),
  } satisfies Answers as Answers;
}

const config: ConfigRecord = {
  version: "",
  read_only: true,
  may: {
    start: false,
    send: false,
    answer: false,
    cancel: false,
    resume: false,
    retry: false,
    fork: false,
    delete: false,
    override: false,
    operate: false,
  },
  tenant: null,
  client: null,
  tenants: false,
  metrics: false,
  audit: false,
  sources: false,
  tests: false,
  queues: false,
  budgets: false,
  schedules: false,
};

function workflowList(workflows: readonly SavedWorkflow[]): object {
  return {
    workflows: workflows.map(({ name }) => name),
    details: workflows.map(({ name, kind, description }) => ({
      name,
      kind,
      description,
      counts: none,
      last_run: null,
    })),
  };
}

const none = { total: 0, status: { running: 0, waiting: 0, queued: 0, completed: 0, failed: 0, cancelled: 0 } };

function countsOf({ handler }: RunFile): AllCountsRecord {
  const { status, waiting, queued, workflow_name } = handler;
  const counted = queued ? "queued" : waiting ? "waiting" : status;
  const counts = { total: 1, status: { ...none.status, [counted]: 1 } };
  return { ...counts, workflows: [{ workflow_name, ...counts }] };
}

function historyOf(entries: readonly HistoryRecord[], query: URLSearchParams): unknown {
  const after = Number(query.get("after") ?? 0);
  const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
  const types = query.get("types")?.split(",");
  const found = entries.filter(
    ({ number, tick }) =>
      (number > after || (number === 0 && after === 0)) && number < before && (types?.includes(tick.type) ?? true),
  );
  if (query.get("sse") !== "true") return { entries: found, next: null };
  const texts = found.map((entry) => `id: ${entry.number}\ndata: ${JSON.stringify(entry)}\n\n`);
  return new Response(`${texts.join("")}event: end\ndata: {}\n\n`, eventStream);
}

function momentsOf(file: RunFile): (number: number, query: URLSearchParams) => unknown {
  const byRun = new Map<string, Map<number, MomentRecord>>();
  const last = new Map<string, object>();
  for (const { run_id, number, fields } of file.moments) {
    const moment = { ...last.get(run_id), ...fields, number, input: null } as unknown as MomentRecord;
    last.set(run_id, moment);
    const ofRun = byRun.get(run_id) ?? new Map<number, MomentRecord>();
    byRun.set(run_id, ofRun.set(number, moment));
  }
  return (number, query) => {
    const runId = query.get("run_id") ?? file.handler.handler_id;
    const moment = byRun.get(runId)?.get(number);
    const item = query.get("item");
    if (moment === undefined || item === null) return moment;
    const input = file.inputs.find((one) => one.run_id === runId && one.item === Number(item))?.input ?? null;
    return { ...moment, input };
  };
}

function listOf(handler: HandlerRecord, query: URLSearchParams): HandlerPage {
  const { waiting, status, workflow_name } = handler;
  const isWanted =
    (query.get("waiting") !== "true" || waiting) &&
    (query.get("workflow_name") ?? workflow_name) === workflow_name &&
    (!query.has("status") || query.getAll("status").some((one) => one === status));
  return { handlers: isWanted ? [handler] : [], cursor: null };
}

const eventStream = { headers: { "content-type": "text/event-stream; charset=utf-8" } } as const;

/** A stream that is open and brings nothing. */
function silence(): Response {
  const start = new TextEncoder().encode("event: open\ndata: {}\n\n");
  return new Response(new ReadableStream({ start: (controller) => controller.enqueue(start) }), eventStream);
}

function refusal(status: number, code: string, detail: string): Response {
  return Response.json({ code, detail, hint: "" }, { status, headers: { "content-type": "application/problem+json" } });
}
