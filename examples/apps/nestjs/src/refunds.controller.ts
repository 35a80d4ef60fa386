import { InjectRuntime } from "@millrace/nestjs";
import { Body, Controller, Get, Param, Post } from "@nestjs/common";
import { QuestionEvent } from "millrace";
import type { Runtime } from "millrace/runtime";
import type { Refund } from "./refund.workflow.js";

/** The routes of your application. Those of the runtime, with runs, streams and the studio, are below `/flows`. */
@Controller("refunds")
export class Refunds {
  readonly #runtime: Runtime<{ refund: Refund }>;

  constructor(@InjectRuntime() runtime: Runtime<{ refund: Refund }>) {
    this.#runtime = runtime;
  }

  @Post()
  async start(@Body() { text }: { text: string }) {
    const run = this.#runtime.run("refund", { text });
    await run.accepted; // it is stored: a crash loses nothing any more
    return { id: run.runId };
  }

  @Get(":id")
  async show(@Param("id") id: string) {
    const run = this.#runtime.handle(id);
    const { status } = await run.summary();
    if (status === "completed") return { status, result: await run };
    const questions = (await run.prompts()).flatMap(({ event }) => (QuestionEvent.is(event) ? event.title : []));
    return { status, questions };
  }

  @Post(":id/approval")
  async approve(@Param("id") id: string, @Body() { approved }: { approved: boolean }) {
    const run = this.#runtime.handle(id);
    for (const { promptId } of await run.prompts()) await run.answer(promptId, { approved });
    return { answered: true };
  }
}
