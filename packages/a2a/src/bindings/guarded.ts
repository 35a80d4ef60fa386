/** Operations whose errors are those of the protocol: the SDK sends the text of every other one to the caller. */
import { A2AError } from "@a2a-js/sdk/errors";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { Log } from "millrace";
import { callerOf } from "../requests/caller.js";
import { protocolError } from "../wire/errors.js";

export function guarded(requests: A2ARequestHandler, log: Log): A2ARequestHandler {
  const known = (error: unknown, context: unknown): Error => {
    // A client that has left reads no answer, and its leaving is no fault.
    if (context instanceof ServerCallContext && callerOf(context).signal.aborted)
      return new A2AError("The client has left.");
    return protocolError(error, log).error;
  };
  const one =
    <Args extends unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      operation.apply(requests, args).catch((error: unknown) => {
        throw known(error, args[1]);
      });
  const many = <Args extends unknown[], Item>(operation: (...args: Args) => AsyncGenerator<Item, void, undefined>) =>
    async function* (...args: Args): AsyncGenerator<Item, void, undefined> {
      try {
        yield* operation.apply(requests, args);
      } catch (error) {
        throw known(error, args[1]);
      }
    };
  return {
    getAgentCard: one(requests.getAgentCard),
    getAuthenticatedExtendedAgentCard: one(requests.getAuthenticatedExtendedAgentCard),
    sendMessage: one(requests.sendMessage),
    sendMessageStream: many(requests.sendMessageStream),
    getTask: one(requests.getTask),
    listTasks: one(requests.listTasks),
    cancelTask: one(requests.cancelTask),
    createTaskPushNotificationConfig: one(requests.createTaskPushNotificationConfig),
    getTaskPushNotificationConfig: one(requests.getTaskPushNotificationConfig),
    listTaskPushNotificationConfigs: one(requests.listTaskPushNotificationConfigs),
    deleteTaskPushNotificationConfig: one(requests.deleteTaskPushNotificationConfig),
    resubscribe: many(requests.resubscribe),
  };
}
