// A `Request -> Response` function that keeps nothing in memory: every call loads the run, moves it on, and stores it.
// `pnpm --filter ./examples serverless`
import {
  Context,
  HumanResponseEvent,
  InputRequiredEvent,
  type RunOutcome,
  StartEvent,
  StopEvent,
  step,
  Workflow,
  WorkflowError,
  type WorkflowHandler,
} from "millrace";
import * as z from "zod";

class Booking extends StartEvent.define("Booking", { guest: z.string(), nights: z.number().int().positive() }) {}
class ChooseRoom extends InputRequiredEvent.define("ChooseRoom", { rooms: z.array(z.string()) }) {}
class RoomChosen extends HumanResponseEvent.define("RoomChosen", { room: z.string() }) {}

export class BookingFlow extends Workflow {
  @step({ on: Booking, emits: StopEvent, waits: RoomChosen, streams: ChooseRoom })
  async book({ guest, nights }: Booking, ctx: Context) {
    const { room } = await ctx.waitForEvent(RoomChosen, { prompt: new ChooseRoom({ rooms: ["attic", "garden"] }) });
    return new StopEvent({ result: `The ${room} room is for ${guest}, ${nights} × 90 euros.` });
  }
}

/** Any store of texts: KV, S3, a table. */
export interface Texts {
  get(key: string): Promise<string | null>;
  /** False, with nothing written, where the text is no longer the one that was read before: `null` for none. */
  put(key: string, text: string, before: string | null): Promise<boolean>;
}

/**
 *     POST /runs                           { guest, nights }   starts a run
 *     POST /runs/:runId/answers/:promptId  { room }            answers its prompt
 *     GET  /runs/:runId                                        says where it stands
 */
export function createBookingServer(texts: Texts): (request: Request) => Promise<Response> {
  return async (request) => {
    const [, runs, runId, answers, promptId] = new URL(request.url).pathname.split("/");
    if (runs !== "runs") return problem(404, "There is nothing here but /runs.");
    try {
      if (request.method === "POST" && runId === undefined) return await start(texts, await bodyOf(request));
      const stored = runId === undefined ? null : await texts.get(runId);
      if (stored === null) return problem(404, `There is no run "${runId}".`);
      if (request.method === "GET") return Response.json(JSON.parse(stored).view);
      if (answers === "answers" && promptId !== undefined)
        return await answer(texts, stored, { promptId, fields: await bodyOf(request) });
      return problem(405, `${request.method} is not for this path.`);
    } catch (error) {
      if (WorkflowError.is(error, "EVENT_INVALID")) return Response.json(error, { status: 400 }); // with `details.issues`
      throw error;
    }
  };
}

/** What is not JSON has no fields, and is refused as such. */
function bodyOf(request: Request): Promise<Record<string, unknown>> {
  return request.json().catch(() => null);
}

async function start(texts: Texts, input: Record<string, unknown>): Promise<Response> {
  const handler = new BookingFlow().run(input as { guest: string; nights: number });
  return store(texts, handler, null);
}

interface Answer {
  readonly promptId: string;
  readonly fields: Record<string, unknown>;
}

async function answer(texts: Texts, stored: string, { promptId, fields }: Answer): Promise<Response> {
  const { view, context } = JSON.parse(stored);
  if (view.status !== "waiting") return problem(409, `The run is ${view.status}: nothing can be answered.`);
  const workflow = new BookingFlow();
  const handler = workflow.resume(Context.fromDict(workflow, context));
  const receipt = await handler.answer(promptId, fields);
  if (receipt.status === "refused") return problem(409, receipt.hint);
  return store(texts, handler, stored);
}

/** Lets the run go as far as it can, stores it, and says where it stands. */
async function store(texts: Texts, handler: WorkflowHandler<string>, before: string | null): Promise<Response> {
  const view = { runId: handler.runId, ...viewOf(await handler.idle()) };
  const isStored = await texts.put(handler.runId, JSON.stringify({ view, context: handler.context.toDict() }), before);
  if (!isStored) return problem(409, "Another request has moved the run.");
  return Response.json(view, { status: view.status === "waiting" ? 202 : 200 });
}

function viewOf(outcome: RunOutcome<string>) {
  if (outcome.status === "completed") return { status: outcome.status, result: outcome.result };
  if (outcome.status !== "waiting") return { status: outcome.status };
  return {
    status: outcome.status,
    prompts: outcome.prompts.map(({ promptId, event }) => ({ promptId, type: event.type, ...event.toJSON() })),
  };
}

export function textsInMemory(kept: Map<string, string>): Texts {
  return {
    get: async (key) => kept.get(key) ?? null,
    async put(key, text, before) {
      const isAsBefore = (kept.get(key) ?? null) === before;
      if (isAsBefore) kept.set(key, text);
      return isAsBefore;
    },
  };
}

function problem(status: number, message: string): Response {
  return Response.json({ message }, { status });
}

if (import.meta.main) {
  const serve = createBookingServer(textsInMemory(new Map()));
  const post = async (path: string, body: unknown) => {
    const response = await serve(
      new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body) }),
    );
    return { status: response.status, body: await response.json() };
  };

  const started = await post("/runs", { guest: "Ada", nights: 2 });
  console.log(started.status, started.body.prompts[0].type, started.body.prompts[0].rooms);

  const path = `/runs/${started.body.runId}/answers/${started.body.prompts[0].promptId}`;
  const answered = await post(path, { room: "garden" });
  console.log(answered.status, answered.body.result);

  const again = await post(path, { room: "attic" });
  console.log(again.status, again.body.message);
}
