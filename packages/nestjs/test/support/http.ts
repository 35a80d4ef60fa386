/** Applications of Nest over real HTTP. */
import type { INestApplication, ModuleMetadata, NestApplicationOptions } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { onTestFinished } from "vitest";
import { MillraceModule, type MillraceOptions } from "../../src/index.js";
import { adapters } from "./adapters.js";
import { greet, MailModule, Refund } from "./shop.js";

export interface Opened {
  readonly app: INestApplication;
  readonly url: string;
}

interface Opening extends ModuleMetadata, NestApplicationOptions {
  readonly adapter?: keyof typeof adapters;
  readonly before?: (app: INestApplication) => void;
}

/** The shop under `/flows`, with these options, in an application of this kind. */
export async function openShop(options: Partial<MillraceOptions> = {}, opening: Opening = {}): Promise<Opened> {
  const { adapter = "Express", before, imports = [], controllers = [], providers = [], ...application } = opening;
  const shop = MillraceModule.forRoot({
    imports: [MailModule],
    workflows: { refund: Refund, greet },
    path: "flows",
    ...options,
  });
  const testing = await Test.createTestingModule({ imports: [shop, ...imports], controllers, providers }).compile();
  const app = testing.createNestApplication(adapters[adapter](), { logger: ["error"], ...application });
  before?.(app);
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  return { app, url: await app.getUrl() };
}

export interface Handler {
  readonly handler_id: string;
  readonly status: string;
  readonly result: { readonly value: { readonly result: unknown } } | null;
  readonly prompts: readonly { readonly prompt_id: string }[];
}

export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Starts a refund, reads its stream, answers its prompt, and returns the stream when it has ended. */
export async function refundOver(flows: string, headers: Record<string, string> = {}): Promise<string> {
  const started = await post(`${flows}/workflows/refund/run`, { start_event: { order: "A-17" } }, headers);
  const { handler_id: id, prompts } = (await started.json()) as Handler;
  const stream = await fetch(`${flows}/events/${id}`, { headers });
  await post(`${flows}/handlers/${id}/prompts/${prompts[0]?.prompt_id}`, { fields: { approved: true } }, headers);
  return stream.text();
}
