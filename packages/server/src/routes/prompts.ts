/** Routes for open prompts and their answers. */
import { z } from "@hono/zod-openapi";
import { refusalError } from "../http/answer-error.js";
import { toPrompt } from "../wire/handler-record.js";
import { readAnswer } from "../wire/read-event.js";
import { answerBody, idParams, prompt, promptParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import { handleOf } from "./runs-of.js";
import type { Server } from "./server.types.js";

const tag = "Prompts";

export function mountPrompts(server: Server): void {
  mount(server, {
    route: "GET /handlers/{id}/prompts",
    needs: ["read", "run"],
    operation: "listPrompts",
    summary: "Open prompts of a run, also while it is at work",
    tag,
    params: idParams,
    answers: { 200: ["Prompts", z.object({ prompts: z.array(prompt) })] },
    handle: async (call) => {
      const handle = handleOf(server, call);
      const { workflow } = await handle.summary();
      const facts = server.catalog.find(workflow);
      return json({ prompts: (await handle.prompts()).map((one) => toPrompt(one, facts)) });
    },
  });
  mount(server, {
    route: "POST /handlers/{id}/prompts/{promptId}",
    needs: ["answer", "run"],
    operation: "answerPrompt",
    summary: "Answers a prompt",
    tag,
    params: promptParams,
    body: answerBody,
    isKeyed: true,
    answers: {
      200: ["The run has accepted the answer", z.object({ status: z.literal("accepted"), sequence: z.number() })],
    },
    handle: async (call) => {
      const { params, body, by, idempotencyKey } = call;
      const handle = handleOf(server, call);
      const facts = server.catalog.get((await handle.summary()).workflow);
      const fields = await readAnswer(body, { handle, promptId: params.promptId, facts });
      const options = idempotencyKey === null ? { by } : { by, key: idempotencyKey };
      const receipt = await handle.answer(params.promptId, fields, options);
      if (receipt.status === "refused") throw refusalError(receipt);
      return json(receipt);
    },
  });
}
