/**
 * Model calls, as their records have them: of agents, and of loops of the AI SDK. A record holds only what differs from the request
 * before it; here, each request is whole again.
 *
 * @module
 */
import { placesOf } from "millrace/engine";
import type { Json, JsonObject } from "../api/json.types.js";
import { jsonOf } from "../api/plain-json.js";

export interface ModelMessage {
  readonly role: string;
  readonly content: Json;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly reasoningTokens: number;
  /** `null` where no price is known. */
  readonly cost: number | null;
  readonly firstTokenMs: number | null;
}

export interface ModelCall {
  /** Id of the scope of its loop. */
  readonly scope: string;
  readonly model: string | null;
  /** How much of the request was recorded. `none`: the call has no record, because it has failed or is at work. */
  readonly record: "full" | "redacted" | "off" | "none";
  /** As they were filled in; `null` for none. */
  readonly instructions: string | null;
  readonly settings: JsonObject;
  readonly tools: readonly ModelTool[];
  readonly toolChoice: Json;
  /** What the model was sent, without the instructions. */
  readonly messages: readonly ModelMessage[];
  readonly answer: readonly ModelMessage[];
  readonly finishReason: string | null;
  readonly usage: ModelUsage;
}

type Fields = Readonly<Record<string, unknown>>;

export function isModelRecord(value: unknown): value is Fields {
  const record = fieldsOf(value);
  return typeof record["asked"] === "object" && ("messages" in record || "made" in record || "parts" in record);
}

/** What a loop has said so far. */
interface Loop {
  readonly asked: Fields;
  readonly call: ModelCall;
  /** Number of the call in its loop. */
  readonly number: number;
}

/** Puts the requests of the loops of one work item together, record by record. */
export class ModelCalls {
  readonly #loops = new Map<string, Loop>();
  /** Results of tools, by loop, answer and position, and by the id of the call. */
  readonly #results = new Map<string, Fields>();
  readonly #start: Fields;

  /** @param start Fields of the event that started the run: an agent as a workflow keeps its input there alone. */
  constructor(start: unknown) {
    this.#start = fieldsOf(start);
  }

  /** Reads the next record of the item. Returns the model call, if it is one. */
  read({
    call,
    value,
    label,
  }: {
    readonly call: string;
    readonly value: unknown;
    readonly label: string | null;
  }): ModelCall | null {
    if (!isModelRecord(value)) {
      this.#noteResult(call, fieldsOf(value));
      return null;
    }
    const { scope, number } = placeOf(call);
    const before = this.#loops.get(scope);
    const asked: Fields = { ...before?.asked, ...fieldsOf(value["asked"]) };
    const news = fieldsOf(value["asked"]);
    const sent = messagesIn(news) ?? (before === undefined ? this.#first() : this.#next(before));
    const made = { ...requestOf(asked, { scope, label, sent }), ...answerOf(value) };
    this.#loops.set(scope, { asked, call: made, number });
    return made;
  }

  /** What is known of a call without a record: what follows from the records before it. `null`: it is no model call. */
  withoutRecord({ call, label }: { readonly call: string; readonly label: string }): ModelCall | null {
    const { scope, number } = placeOf(call);
    const before = this.#loops.get(scope);
    if (!isNamedModelCall(call, label) || (number > 0 && before === undefined)) return null;
    const sent = before === undefined ? this.#first() : this.#next(before);
    const request = requestOf(before?.asked ?? {}, { scope, label, sent });
    return { ...request, record: "none", answer: [], finishReason: null, usage: tokensAndTime({}) };
  }

  /** Arguments of the call that a tool was given, where a model has made it. */
  argumentsOf(call: string): Json | undefined {
    const made = /^(.*)\/@m(\d+)\.c(\d+)\//.exec(call);
    const places = placesOf(call);
    const id = /^call\/(.*?)(\/failed)?$/.exec(places.at(-1)?.name ?? "")?.[1];
    for (const [scope, loop] of this.#loops) {
      const calls = toolCallsIn(loop.call.answer);
      if (made !== null && scope === made[1] && loop.number === Number(made[2]))
        return jsonOf(calls[Number(made[3])]?.["input"]);
      const found = id === undefined ? undefined : calls.find(({ toolCallId }) => toolCallId === id);
      if (found !== undefined) return jsonOf(found["input"]);
    }
    return undefined;
  }

  #noteResult(call: string, value: Fields): void {
    if (!("output" in value || "error" in value || "denied" in value)) return;
    const made = /^(.*)\/@m(\d+)\.c(\d+)\//.exec(call);
    if (made !== null) this.#results.set(`${made[1]} ${made[2]} ${made[3]}`, value);
    const id = /^call\/(.*?)(\/failed)?$/.exec(placesOf(call).at(-1)?.name ?? "")?.[1];
    if (id !== undefined) this.#results.set(id, value);
  }

  #first(): readonly ModelMessage[] {
    const { input, history } = this.#start;
    if (input === undefined) return [];
    const content = typeof input === "string" ? input : JSON.stringify(input, null, 2);
    return [...messagesOf(history), { role: "user", content }];
  }

  #next({ call, number }: Loop): readonly ModelMessage[] {
    const results = toolCallsIn(call.answer).flatMap((made, position): ModelMessage[] => {
      const id = String(made["toolCallId"]);
      const result = this.#results.get(`${call.scope} ${number} ${position}`) ?? this.#results.get(id);
      if (result === undefined) return [];
      const output = jsonOf(
        "output" in result ? result["output"] : (result["error"] ?? `Not allowed. ${result["denied"] ?? ""}`),
      );
      return [
        {
          role: "tool",
          content: [{ type: "tool-result", toolName: String(made["toolName"]), toolCallId: id, output }],
        },
      ];
    });
    return [...call.messages, ...call.answer, ...results];
  }
}

/** Agents and `recorded` call model calls by their number, and label them with the provider and the id of the model. */
function isNamedModelCall(call: string, label: string): boolean {
  return /(^|\/)run=m\d+$/.test(call) && label.includes("/");
}

function tokensAndTime(metrics: Fields): ModelUsage {
  const { timeToFirstToken, ...tokens } = metrics;
  return { ...tokensOf(tokens), firstTokenMs: secondsOf(timeToFirstToken) };
}

function placeOf(call: string): { readonly scope: string; readonly number: number } {
  const [, scope = "", number = "0"] = /^(.*?)\/?run=m(\d+)$/.exec(call) ?? [];
  return { scope, number: Number(number) };
}

interface Sent {
  readonly scope: string;
  readonly label: string | null;
  readonly sent: readonly ModelMessage[];
}

type Request = Omit<ModelCall, "answer" | "finishReason" | "usage">;

/** The fields of a request of an agent have names; all others of a request of a loop are settings. */
function requestOf(asked: Fields, { scope, label, sent }: Sent): Request {
  const { model, instructions, settings, tools, toolChoice, record, messages: _, prompt: __, ...others } = asked;
  const system = sent.filter(({ role }) => role === "system").map(({ content }) => textOf(content));
  return {
    scope,
    model: typeof model === "string" ? model : label,
    record: record === "off" || record === "redacted" ? record : "full",
    instructions: typeof instructions === "string" ? instructions : system.length > 0 ? system.join("\n\n") : null,
    settings: jsonOf({ ...fieldsOf(settings), ...others }) as JsonObject,
    tools: listOf(tools).map(toolOf),
    toolChoice: jsonOf(toolChoice),
    messages: sent.filter(({ role }) => role !== "system"),
  };
}

function toolOf(tool: Fields): ModelTool {
  const { name, description, schema, inputSchema, ...rest } = tool;
  return {
    name: typeof name === "string" ? name : "",
    description: typeof description === "string" ? description : "",
    schema: jsonOf(schema ?? inputSchema ?? rest),
  };
}

function messagesIn(asked: Fields): readonly ModelMessage[] | null {
  const given = asked["messages"] ?? asked["prompt"];
  return given === undefined ? null : messagesOf(given);
}

function messagesOf(given: unknown): readonly ModelMessage[] {
  return listOf(given).flatMap(({ role, content }) =>
    typeof role === "string" ? [{ role, content: jsonOf(content) }] : [],
  );
}

type Answer = Pick<ModelCall, "answer" | "finishReason" | "usage">;

function answerOf(value: Fields): Answer {
  if ("messages" in value) {
    return {
      answer: messagesOf(value["messages"]),
      finishReason: wordOf(value["finishReason"]),
      usage: tokensAndTime(fieldsOf(value["metrics"])),
    };
  }
  const isWhole = "made" in value;
  const parts = isWhole ? listOf(fieldsOf(value["made"])["content"]) : joined(listOf(value["parts"]));
  const end = isWhole ? fieldsOf(value["made"]) : (parts.find(({ type }) => type === "finish") ?? {});
  const said = parts.filter(({ type }) => spoken.has(String(type))).map(asParsed);
  return {
    answer: [{ role: "assistant", content: said }],
    finishReason: wordOf(fieldsOf(end["finishReason"])["unified"]),
    usage: { ...usageOf(fieldsOf(end["usage"])), firstTokenMs: secondsOf(value["timeToFirstToken"]) },
  };
}

const spoken: ReadonlySet<string> = new Set(["text", "reasoning", "tool-call", "tool-result", "file", "source"]);

/** The pieces of a text become one part. */
function joined(parts: readonly Fields[]): readonly Fields[] {
  const whole: { [name: string]: unknown }[] = [];
  for (const part of parts) {
    const [, type, step] = /^(text|reasoning)-(start|delta|end)$/.exec(String(part["type"])) ?? [];
    if (type === undefined) whole.push({ ...part });
    else if (step === "start") whole.push({ type, id: part["id"], text: "" });
    else if (step === "delta") {
      const open = whole.findLast((one) => one["type"] === type && one["id"] === part["id"]);
      if (open !== undefined) open["text"] = `${open["text"]}${part["delta"]}`;
    }
  }
  return whole;
}

/** Models write the arguments of a call as JSON text. */
function asParsed({ id: _, ...part }: Fields): JsonObject {
  const { type, input } = part;
  if (type !== "tool-call" || typeof input !== "string") return jsonOf(part) as JsonObject;
  try {
    return jsonOf({ ...part, input: JSON.parse(input) as unknown }) as JsonObject;
  } catch {
    return jsonOf(part) as JsonObject; // as the model has written them
  }
}

function tokensOf({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  reasoningTokens,
  cost,
}: Fields): Omit<ModelUsage, "firstTokenMs"> {
  return {
    inputTokens: numberOf(inputTokens),
    outputTokens: numberOf(outputTokens),
    cacheReadTokens: numberOf(cacheReadTokens),
    reasoningTokens: numberOf(reasoningTokens),
    cost: typeof cost === "number" ? cost : null,
  };
}

function usageOf({ inputTokens, outputTokens }: Fields): Omit<ModelUsage, "firstTokenMs"> {
  const [input, output] = [fieldsOf(inputTokens), fieldsOf(outputTokens)];
  return tokensOf({
    inputTokens: input["total"],
    outputTokens: output["total"],
    cacheReadTokens: input["cacheRead"],
    reasoningTokens: output["reasoning"],
  });
}

/** Those that the loop makes, in order. */
function toolCallsIn(messages: readonly ModelMessage[]): readonly Fields[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Fields[]) : []));
  return parts.filter((part) => part["type"] === "tool-call" && part["providerExecuted"] !== true);
}

function textOf(content: Json): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

function wordOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function secondsOf(value: unknown): number | null {
  return typeof value === "number" ? value * 1000 : null;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
