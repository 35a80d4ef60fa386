/** `signedLinks`: addresses that each answer one prompt, for webhooks and for people. */
import type { Context, Duration, FieldsOut, Log, ObjectSchema, PendingPrompt, Question } from "millrace";
import { checkOptions, type Rules, required, toMs, valueRule } from "millrace/engine";
import { type BodyLimits, defaultBodyLimits } from "../http/read-body.js";
import { consoleLog, newId, nowMs } from "../system.js";
import { eventJsonSchema } from "../wire/event-schema.js";
import { WorkflowCatalog } from "../wire/workflow-facts.js";
import { answerLink, type LinkHost } from "./answer-link.js";
import { type LinkMethod, LinkSigner } from "./token.js";

/** Options of `signedLinks`. */
export interface SignedLinksOptions {
  /** Address of the links, such as `"https://app.example/links"`: where `createServer({ links })` or `handler` answers them. */
  readonly url: string;
  /** At least one, each of at least 32 characters. The first one signs, every one verifies: add a new one in front to rotate. */
  readonly secrets: readonly string[];
}

/** A question whose answer comes through a link. */
export interface LinkQuestion<Schema extends ObjectSchema = ObjectSchema> extends Omit<Question<Schema>, "promptId"> {
  /**
   * Methods of HTTP that answer. Without `GET` in it, a `GET` shows a form for the answer; with it, the query is the answer, and
   * whatever opens the link, such as the scanner of a mailbox, answers. @default ["POST"]
   */
  readonly methods?: readonly LinkMethod[];
  /** Text of the response to an answer, for senders that require one. @default a page, or `{ "status": "accepted" }` */
  readonly reply?: string;
}

/** An open question with its link. */
export interface LinkedQuestion<Answer> {
  /** Equal in every attempt of the step. */
  readonly url: string;
  /** Resolves with the answer, wherever it was given. @throws {WorkflowError} `WAIT_TIMED_OUT` after `timeout`. */
  readonly answer: Promise<Answer>;
}

export interface LinkOptions {
  /** Tenant of the run. @default none */
  readonly tenant?: string;
  /** How long the link is valid. @default as long as the prompt is open */
  readonly expiresIn?: Duration;
}

/** Signed links, see `signedLinks`. */
export interface SignedLinks {
  /**
   * Asks a question in a step, and returns the link that answers it. The question is a prompt as that of `ctx.ask`: the studio and every
   * other door can answer it too, and one answer counts.
   *
   * When it resolves, the question is stored and open, so that an answer that comes at once is not lost.
   *
   * @throws {WorkflowError} `KEY_REUSED` for a second question with this `key` (or `title`, without one) in the step, and what
   * `ctx.ask` throws.
   */
  ask<Schema extends ObjectSchema>(
    ctx: Context,
    question: LinkQuestion<Schema>,
  ): Promise<LinkedQuestion<FieldsOut<Schema>>>;
  /** The link of a prompt that is open, for code outside of the run, such as what sends mails. @returns the address */
  urlOf(prompt: Pick<PendingPrompt, "runId" | "promptId">, options?: LinkOptions): Promise<string>;
  /** Answers requests to links without `createServer`. It may be mounted on any path: the last part of the path is the link. */
  handler(runtime: LinkHost["runtime"], options?: LinkHandlerOptions): (request: Request) => Promise<Response>;
}

export interface LinkHandlerOptions {
  readonly limits?: Partial<BodyLimits>;
  /** Receives unexpected errors. @default the console */
  readonly log?: Log;
}

/**
 * Makes signed links, each of which answers one prompt: pass it to a service as the address of its webhook, or to a person in a mail.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 * @example
 * const links = signedLinks({ url: "https://app.example/links", secrets: [process.env.LINK_SECRET] });
 * // in a step
 * const paid = await links.ask(ctx, { title: "Payment", schema: { status: z.string() }, timeout: "2d" });
 * await ctx.run("charge", () => provider.charge({ amount, callback: paid.url }));
 * const { status } = await paid.answer;
 */
export function signedLinks(options: SignedLinksOptions): SignedLinks {
  checkOptions("The options of `signedLinks` are wrong", options, { rules });
  const signer = new LinkSigner(options.secrets);
  const base = options.url.endsWith("/") ? options.url.slice(0, -1) : options.url;
  return {
    ask: (ctx, question) => askByLink({ signer, base }, ctx, question),
    urlOf: async ({ runId, promptId }, { tenant, expiresIn } = {}) => {
      const expiresAtMs = expiresIn === undefined ? undefined : nowMs() + toMs(expiresIn, "expiresIn");
      return `${base}/${await signer.sign({ run: runId, tenant, prompt: promptId, expiresAtMs })}`;
    },
    handler: (runtime, { limits, log = consoleLog } = {}) => {
      const catalog = new WorkflowCatalog(runtime.workflows, { schemaOf: eventJsonSchema });
      const host: LinkHost = { runtime, catalog, limits: { ...defaultBodyLimits, ...limits }, log };
      return (request) => answerLink({ host, signer }, request, new URL(request.url).pathname.split("/").at(-1) ?? "");
    },
  };
}

const isAddress = (url: unknown): boolean => typeof url === "string" && /^https?:\/\/[^\s?#]+$/.test(url);
const isSecret = (secret: unknown): boolean => typeof secret === "string" && secret.length >= 32;

const rules: Rules<SignedLinksOptions> = {
  url: required(valueRule(isAddress, 'an address such as "https://app.example/links"')),
  secrets: required(
    valueRule(
      (secrets) => Array.isArray(secrets) && secrets.length > 0 && secrets.every(isSecret),
      "a list of texts of at least 32 characters; check that the environment variable is set",
    ),
  ),
};

interface Links {
  readonly signer: LinkSigner;
  readonly base: string;
}

async function askByLink<Schema extends ObjectSchema>(
  { signer, base }: Links,
  ctx: Context,
  { methods, reply, ...question }: LinkQuestion<Schema>,
): Promise<LinkedQuestion<FieldsOut<Schema>>> {
  const { key, title, timeout } = question;
  const own = ctx.scope(`link ${String(key ?? title).slice(0, 190)}`);
  // Recorded, so that every attempt asks the same question and returns the same link.
  const { prompt, ...expiry } = await own.run("prompt", () => ({
    prompt: newId(),
    ...(timeout !== undefined && { expiresAtMs: nowMs() + toMs(timeout, "timeout") }),
  }));
  const { runId, tenant } = ctx;
  // Before the question is open: a step that waits for an answer and for nothing that its run knows of may leave memory.
  const token = await signer.sign({ run: runId, ...(tenant !== "" && { tenant }), prompt, ...expiry, methods, reply });
  const answer = own.ask({ ...question, promptId: prompt } as Question<Schema>);
  answer.catch(() => {}); // it belongs to the caller, who may await something else first
  // Stored after the question, so that the question is stored when this resolves.
  await own.run("asked", () => null);
  return { url: `${base}/${token}`, answer };
}
