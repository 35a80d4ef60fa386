import { QuestionEvent, type WorkflowHandler } from "millrace";
import type { AgentQuestion } from "../../src/index.js";

export type Asked = AgentQuestion & { readonly title: string };
export type Answered = Partial<{ approved: boolean; note: string; input: unknown; output: unknown }>;

/** Runs to the end while a person answers each question. Returns the result and the questions. */
export async function answering<Result>(
  run: WorkflowHandler<Result>,
  reply: (question: Asked, number: number) => Answered,
): Promise<{ readonly result: Result; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const people = (async () => {
    for await (const { event, promptId } of run.streamEvents())
      if (QuestionEvent.is(event) && promptId !== null) {
        const question = { ...(event.details as AgentQuestion), title: event.title };
        await run.answer(promptId, { ...reply(question, asked.push(question) - 1) });
      }
  })();
  const result = await run;
  await people;
  return { result, asked };
}

/** The open questions, once nothing else is left to do. */
export async function promptsOf(run: Pick<WorkflowHandler<unknown>, "idle">): Promise<string[]> {
  const outcome = await run.idle();
  return outcome.status === "waiting" ? outcome.prompts.map(({ promptId }) => promptId) : [];
}
