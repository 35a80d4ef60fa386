/**
 * Where push notifications of tasks go: a record for each task, and a run of the outbox for each receiver in it.
 *
 * The record comes first, then its run is started under an id that the record names: a request that is repeated, also after a
 * crash between the two, finds or starts the same.
 *
 * @module
 */
import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { HttpError } from "@millrace/server/door";
import { WorkflowError } from "millrace";
import type { Runtime } from "millrace/runtime";
import { hashOf, newId } from "../system.js";
import type { FoundTask } from "../tasks/found-task.types.js";
import { isPublicHost } from "./public-fetch.js";
import type { AllowReceiver } from "./push-notifications.types.js";

/** A receiver, as it is stored. */
export interface Receiver {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  /** Value of the header `authorization`; empty for none. */
  readonly authorization: string;
  /** Run of the outbox. */
  readonly runId: string;
}

interface PushConfigsOptions {
  readonly runtime: Runtime;
  /** Name of the workflow of the outbox. */
  readonly workflow: string;
  readonly allow: AllowReceiver | undefined;
}

const kind = "a2a.push";
const mostReceivers = 10;

export class PushConfigs {
  readonly #options: PushConfigsOptions;

  constructor(options: PushConfigsOptions) {
    this.#options = options;
  }

  /** @throws {HttpError} `PUSH_URL_REFUSED` */
  async check({ url }: Pick<TaskPushNotificationConfig, "url">): Promise<void> {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    const { allow } = this.#options;
    if (parsed === null || parsed.username !== "" || !/^https?:$/.test(parsed.protocol)) throw urlRefused();
    const isAllowed =
      allow === undefined ? parsed.protocol === "https:" && (await isPublicHost(parsed)) : allow(parsed);
    if (!(await isAllowed)) throw urlRefused();
  }

  async add(task: FoundTask, config: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    await this.check(config);
    const { runId: taskId } = task.handle;
    const given = await receiverOf(taskId, config);
    const { version, receivers } = await this.#read(task);
    const known = receivers.find(({ id }) => id === given.id);
    const isSame = known !== undefined && JSON.stringify({ ...known, runId: "" }) === JSON.stringify(given);
    const receiver = isSame ? known : { ...given, runId: `a2a-push-${newId()}` };
    if (!isSame) {
      const others = receivers.filter(({ id }) => id !== given.id);
      if (others.length >= mostReceivers) throw tooMany();
      await this.#write(task, version, [...others, receiver]);
      if (known !== undefined) await this.#end(task, known);
    }
    await this.#begin(task, receiver);
    return configOf(taskId, receiver);
  }

  async list(task: FoundTask): Promise<TaskPushNotificationConfig[]> {
    const { receivers } = await this.#read(task);
    return receivers.map((receiver) => configOf(task.handle.runId, receiver));
  }

  /** @throws {HttpError} `PUSH_CONFIG_UNKNOWN` */
  async get(task: FoundTask, id: string): Promise<TaskPushNotificationConfig> {
    const found = (await this.list(task)).find((config) => config.id === id);
    if (found === undefined) throw configUnknown(id);
    return found;
  }

  /** A receiver that is gone is removed. */
  async remove(task: FoundTask, id: string): Promise<void> {
    const { version, receivers } = await this.#read(task);
    const removed = receivers.find((receiver) => receiver.id === id);
    if (removed === undefined) return;
    await this.#write(
      task,
      version,
      receivers.filter((receiver) => receiver !== removed),
    );
    await this.#end(task, removed);
  }

  async #read({ handle: { runId, tenant } }: FoundTask): Promise<{ version: number; receivers: readonly Receiver[] }> {
    const record = await this.#options.runtime.records.read(kind, runId, { tenant });
    return { version: record?.version ?? 0, receivers: (record?.value ?? []) as readonly Receiver[] };
  }

  async #write({ handle: { runId, tenant } }: FoundTask, expected: number, value: readonly Receiver[]): Promise<void> {
    try {
      await this.#options.runtime.records.write([{ kind, id: runId, tenant, expected, value }]);
    } catch (error) {
      throw WorkflowError.is(error, "RECORD_CONFLICT") ? changedMeanwhile() : error;
    }
  }

  async #begin({ handle: { runId: taskId, tenant } }: FoundTask, { runId, ...receiver }: Receiver): Promise<void> {
    const { runtime, workflow } = this.#options;
    const { url, token, authorization } = receiver;
    await runtime.run(workflow, { taskId, url, token, authorization } as never, {
      runId,
      tenant,
      labels: { "a2a.push": taskId },
    }).accepted;
  }

  async #end({ handle: { tenant } }: FoundTask, { runId }: Receiver): Promise<void> {
    try {
      await this.#options.runtime.handle(runId, { tenant }).cancel("The receiver was removed.");
    } catch (error) {
      if (!WorkflowError.is(error, "RUN_UNKNOWN")) throw error; // its run was never started, or is deleted
    }
  }
}

async function receiverOf(taskId: string, config: TaskPushNotificationConfig): Promise<Receiver> {
  const { url, token, authentication } = config;
  const { scheme = "", credentials = "" } = authentication ?? {};
  const authorization = scheme !== "" && credentials !== "" ? `${scheme} ${credentials}` : "";
  for (const [name, value] of Object.entries({ token, authorization }))
    if (!/^[\x20-\x7e]*$/.test(value)) throw headerRefused(name);
  return { id: config.id || (await hashOf(taskId, url, token, authorization)), url, token, authorization, runId: "" };
}

/** Without the credentials: whoever may read the task need not know them. */
function configOf(taskId: string, { id, url, token, authorization }: Receiver): TaskPushNotificationConfig {
  const [scheme = ""] = authorization.split(" ");
  const authentication = authorization === "" ? undefined : { scheme, credentials: "" };
  return { tenant: "", id, taskId, url, token, authentication };
}

function urlRefused(): HttpError {
  return new HttpError({
    status: 400,
    code: "PUSH_URL_REFUSED",
    detail: "Push notifications are not sent to this address.",
    hint: "Use an `https` address on the internet, or ask the operator of this agent to allow it.",
  });
}

function headerRefused(name: string): HttpError {
  const detail = `The \`${name}\` of the push notifications has characters that no header can have.`;
  return new HttpError({ status: 400, code: "BODY_INVALID", detail });
}

function tooMany(): HttpError {
  return new HttpError({
    status: 400,
    code: "PUSH_CONFIGS_FULL",
    detail: `The task has ${mostReceivers} receivers of push notifications already.`,
    hint: "Delete one that is not needed any more.",
  });
}

function configUnknown(id: string): HttpError {
  return new HttpError({
    status: 404,
    code: "PUSH_CONFIG_UNKNOWN",
    detail: `The task has no receiver of push notifications ${JSON.stringify(id)}.`,
    hint: "List them: each has an id.",
  });
}

function changedMeanwhile(): HttpError {
  return new HttpError({
    status: 409,
    code: "RECORD_CONFLICT",
    detail: "Another request has changed the receivers of this task.",
    hint: "Send the request again.",
  });
}
