/**
 * The operations of the protocol over the runs of a runtime: what the SDK calls a request handler.
 *
 * That of the SDK keeps a bus for each task in its process, and a copy of each task in a separate store. Here a task is a
 * view of its run: it has no other record, so nothing can differ, and any process answers.
 *
 * @module
 */
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { refusalError } from "@millrace/server/door";
import type { PushConfigs } from "../push/push-configs.js";
import { passed } from "../system.js";
import type { FoundTask } from "../tasks/found-task.types.js";
import { artifactsOf, isOver, taskOf } from "../tasks/run-task.js";
import { standingOf } from "../tasks/task-state.js";
import { taskUpdates } from "../tasks/task-stream.js";
import { callerOf } from "./caller.js";
import { findTask } from "./find-task.js";
import { listTasks } from "./list-tasks.js";
import { takeMessage } from "./take-message.js";
import type { TaskHost } from "./task-host.types.js";

export class TaskRequests implements A2ARequestHandler {
  readonly #host: TaskHost;
  readonly #card: AgentCard;

  constructor(host: TaskHost, card: AgentCard) {
    this.#host = host;
    this.#card = card;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#card;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError("This agent has no extended card.");
  }

  async sendMessage(request: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const task = await this.#take(request, context);
    if (request.configuration?.returnImmediately !== true) await this.#settled(task, callerOf(context).signal);
    return this.#read(task);
  }

  async *sendMessageStream(
    request: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const { handle } = await this.#take(request, context);
    yield* taskUpdates(handle, { ...this.#host, signal: callerOf(context).signal, untilInput: true });
  }

  async *resubscribe(
    { id: taskId, tenant }: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const caller = callerOf(context);
    const { handle } = await findTask(this.#host, { taskId, tenant }, caller);
    if (isOver(await standingOf(handle))) throw refusalError({ code: "RUN_FINISHED", hint: "" });
    yield* taskUpdates(handle, { ...this.#host, signal: caller.signal, untilInput: false });
  }

  async getTask({ id: taskId, tenant }: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.#read(await findTask(this.#host, { taskId, tenant }, callerOf(context)));
  }

  async listTasks(request: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    return listTasks(this.#host, request, callerOf(context));
  }

  /** A task that was cancelled before is cancelled. */
  async cancelTask({ id: taskId, tenant }: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const caller = callerOf(context);
    const task = await findTask(this.#host, { taskId, tenant, right: "operate" }, caller);
    const { by } = caller;
    const receipt = await task.handle.cancel("The task was cancelled by the agent that has sent it.", { by });
    const standing = await standingOf(task.handle);
    if (receipt.status === "refused" && standing.outcome?.status !== "cancelled")
      throw new TaskNotCancelableError({
        message: "The task has ended: it cannot be cancelled.",
        metadata: { code: receipt.code },
      });
    return this.#read(task);
  }

  // ---- push notifications

  async createTaskPushNotificationConfig(
    config: TaskPushNotificationConfig,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const push = this.#push;
    return push.add(await findTask(this.#host, config, callerOf(context)), config);
  }

  async getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const push = this.#push;
    return push.get(await findTask(this.#host, request, callerOf(context)), request.id);
  }

  async listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const push = this.#push;
    const configs = await push.list(await findTask(this.#host, request, callerOf(context)));
    return { configs, nextPageToken: "" };
  }

  async deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    const push = this.#push;
    await push.remove(await findTask(this.#host, request, callerOf(context)), request.id);
  }

  // ----

  get #push(): PushConfigs {
    const { push } = this.#host;
    if (push === null) throw new PushNotificationNotSupportedError();
    return push;
  }

  /** A refused address of push notifications begins no task. */
  async #take(request: SendMessageRequest, context: ServerCallContext): Promise<FoundTask> {
    const config = request.configuration?.taskPushNotificationConfig;
    const push = config === undefined ? null : this.#push;
    if (config !== undefined) await push?.check(config);
    const task = await takeMessage(this.#host, request, callerOf(context));
    if (config !== undefined) await push?.add(task, config);
    return task;
  }

  async #read({ handle }: FoundTask): Promise<Task> {
    const standing = await standingOf(handle);
    return taskOf(standing, await artifactsOf(handle, standing, this.#host), this.#host);
  }

  /** Until the task needs input, has ended, or has taken too long for a request. */
  async #settled({ handle }: FoundTask, left: AbortSignal): Promise<void> {
    const late = new AbortController();
    const signal = AbortSignal.any([left, late.signal]);
    const done = new AbortController();
    void passed(this.#host.waitMs, done.signal).then(() => late.abort());
    try {
      for await (const _ of taskUpdates(handle, { ...this.#host, map: undefined, signal, untilInput: true }));
    } catch (error) {
      if (!late.signal.aborted) throw error;
    } finally {
      done.abort();
    }
  }
}
