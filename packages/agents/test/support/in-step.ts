/** An agent or a team as the executor of a step, while a person answers each question. */
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { type Answered, type Asked, answering } from "./people.js";

type Reply = (question: Asked, number: number) => Answered;

interface Given {
  readonly signal: AbortSignal;
}

/** Calls a method of a pipeline's contract in a step of a workflow of its own. */
export async function inStep<Result>(
  work: (ctx: Context) => Promise<Result>,
  { signal }: Given,
  reply: Reply = () => ({ approved: true }),
): Promise<{ readonly result: Result; readonly asked: readonly Asked[] }> {
  let done!: (result: Promise<Result>) => void;
  const ended = new Promise<Result>((resolve) => (done = resolve));
  const flow = defineWorkflow("step")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const result = work(ctx);
      done(result);
      await result;
      return new StopEvent({ result: null });
    })
    .build();
  // A run whose signal has aborted before does not begin.
  const asked = await answering(flow.run({}, signal.aborted ? {} : { signal }), reply).then(
    (answered) => answered.asked,
    () => [], // the signal has stopped the run, and the work says so itself
  );
  return { result: await ended, asked };
}

interface Asking extends Given {
  readonly ctx: Context;
}

type Without<Request> = Omit<Request, "ctx" | "callContext">;

/** The same with `execute` alone: every question is allowed. */
export function executing<Request extends Asking, Result>(agent: {
  execute(request: Request): Promise<Result>;
}): {
  execute(request: Without<Request>): Promise<Result>;
} {
  return { execute: (request) => made((one: Request) => agent.execute(one), request) };
}

/** The same with `decide`. */
export function deciding<Request extends Asking, Result>(agent: {
  decide(request: Request): Promise<Result>;
}): {
  decide(request: Without<Request>): Promise<Result>;
} {
  return { decide: (request) => made((one: Request) => agent.decide(one), request) };
}

async function made<Request extends Asking, Result>(
  work: (request: Request) => Promise<Result>,
  request: Without<Request>,
): Promise<Result> {
  const given = request as Request;
  return (await inStep((ctx) => work({ ...given, ctx }), given)).result;
}
