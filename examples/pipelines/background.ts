// A run that nobody waits for: looked at now and then, and cancelled. `pnpm --filter millrace-examples background`
import { setTimeout } from "node:timers/promises";
import { Pipeline, type RunContext, Step, type StepInput } from "@millrace/pipeline";

interface Order {
  readonly copies: number;
  readonly dryingMs: number;
}

async function print({ input }: StepInput, { editState }: RunContext<{ printed: number }>) {
  const { copies } = input as Order;
  await editState((state) => (state.printed += copies));
  return `${copies} copies are printed`;
}

/** A run that is cancelled aborts the signal: whatever takes it ends at once. */
async function dry({ input, previousStepContent }: StepInput, { signal }: RunContext) {
  await setTimeout((input as Order).dryingMs, undefined, { signal });
  return `${previousStepContent} and dry`;
}

export function createPress(): Pipeline {
  return new Pipeline({
    name: "Press",
    sessionState: { printed: 0 },
    steps: [new Step({ name: "print", executor: print }), new Step({ name: "dry", executor: dry })],
  });
}

/** Asks until it is as it should be. */
async function poll<Answer>(ask: () => Promise<Answer>, isEnough: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (isEnough(answer)) return answer;
    await setTimeout(20);
  }
}

if (import.meta.main) {
  await using press = createPress();

  const short = press.run({ copies: 10, dryingMs: 100 } satisfies Order);
  await short.accepted; // it is stored: from here on its id is all that is needed, here or in another process
  const { runId } = short;
  const ended = await poll(
    () => press.getRun(runId),
    ({ status }) => status !== "PENDING" && status !== "RUNNING",
  );
  console.log(ended.status, "-", ended.content);

  const anHour = 3_600_000;
  const long = press.run({ copies: 500, dryingMs: anHour } satisfies Order);
  const half = await poll(
    () => press.getRun(long.runId),
    ({ stepResults }) => stepResults.length === 1,
  );
  console.log(half.status, "-", half.content);

  // What was done stays: in the output, and in the session. The step that was at work says why it has no content.
  const cancelled = await press.handle(long.runId).cancel("The paper is needed elsewhere");
  console.log(
    cancelled.status,
    "-",
    cancelled.stepResults.map(({ stepName, content, error }) => `${stepName}: ${content ?? error}`),
  );
  console.log("Session state:", await press.getSessionState());
}
