/** The code of forks over HTTP. */
import { Pipeline, Step } from "@millrace/pipeline";
import { createServer } from "@millrace/server";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent, type Workflow } from "millrace";
import { createRuntime } from "millrace/runtime";
import type { Provocations, Provoked } from "./provoked.js";

class Answer extends HumanResponseEvent.define("Answer") {}
class Next extends event("Next") {}

const orders = defineWorkflow("orders")
  .step("begin", { on: StartEvent, emits: Next }, () => new Next())
  .step("ship", { on: Next, emits: StopEvent, waits: Answer }, async (_event, ctx) => {
    await ctx.waitForEvent(Answer);
    return new StopEvent({ result: null });
  })
  .build({ forkState: ["note"] });

const letter = new Pipeline({
  name: "letter",
  steps: [new Step({ name: "send", executor: () => "sent", humanReview: { requiresConfirmation: true } })],
});

/** A run that waits is forked with that state. */
async function forked(name: string, workflow: Workflow, state: object): Promise<Provoked> {
  const runtime = createRuntime({ workflows: { [name]: workflow } });
  const app = createServer({ runtime });
  const headers = { "content-type": "application/json" };
  const post = (path: string, body: object) =>
    app.request(path, { method: "POST", headers, body: JSON.stringify(body) });
  await post(`/workflows/${name}/run`, { handler_id: "one" });
  const response = await post("/handlers/one/fork", { at: 2, state });
  await runtime.stop();
  const { code, detail, hint } = (await response.json()) as Readonly<Record<string, string>>;
  return { code: String(code), text: `${detail} ${hint}` };
}

export const forks: Provocations = {
  STATE_CLOSED: [
    () => forked("orders", orders, { isApproved: true }),
    () => forked("letter", letter.workflow, { reviews: {} }),
  ],
};
