/** Cancels what a call has begun at another agent, when the call has ended without waiting for it. */
import type { Client } from "@a2a-js/sdk/client";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import { passed } from "../system.js";
import type { RemoteState } from "./remote-state.js";
import { listOf } from "./remote-task.js";

/** What a call knows of its task. */
export interface Begun {
  /** A context that belongs to the task alone; `null`: none, or nothing was sent. */
  readonly contextId: string | null;
  /** `null`: the agent has not answered yet, and may have begun a task. */
  readonly state: RemoteState | null;
}

const tries = 4;

/** Tries for some seconds. It cannot be recorded, because the attempt is over; an agent that is away keeps its task. */
export async function cancelTasks(open: () => Promise<Client>, begun: Begun): Promise<void> {
  const { state, contextId } = begun;
  if (state?.taskId === "" || (state === null && contextId === null)) return;
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      const client = await open();
      const ids = state !== null ? [state.taskId] : await idsOf(client, contextId as string);
      for (const id of ids) await client.cancelTask({ id, tenant: "", metadata: undefined });
      return;
    } catch (error) {
      if (error instanceof TaskNotCancelableError || error instanceof TaskNotFoundError) return; // it has ended
      await passed(200 * 4 ** (attempt - 1));
    }
  }
}

async function idsOf(client: Client, contextId: string): Promise<string[]> {
  const { tasks } = await client.listTasks(listOf(contextId));
  return tasks.map(({ id }) => id);
}
