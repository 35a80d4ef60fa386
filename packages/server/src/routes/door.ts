/** A protocol of another package beside the routes of the server, under the same rules. */
import type { Context } from "hono";
import { doorCaller } from "../door/door-caller.js";
import type { MountedDoor } from "../door/mounted-door.types.js";
import type { ServerEnv } from "../guard/auth.js";
import { readBody } from "../http/read-body.js";
import { callerOf } from "../quota/caller.js";
import type { Server } from "./server.types.js";

export function mountDoor(server: Server, path: string, door: MountedDoor): void {
  const { app, limits, options, quotas } = server;
  const answer = async (context: Context<ServerEnv>): Promise<Response> => {
    const caller = callerOf(options, context);
    const request = context.req.raw;
    if (request.method === "POST") quotas.streams.assertFree(caller);
    const asked = {
      basePath: options.basePath + path,
      readBody: () => readBody(request, limits),
      spendStart: () => quotas.starts.spend(caller),
    };
    const response = await door.respond(request, doorCaller(context.get("identity"), asked));
    if (!isStream(response)) return response;
    try {
      quotas.streams.assertFree(caller);
    } catch (error) {
      await response.body?.cancel();
      throw error;
    }
    return counted(response, quotas.streams.take(caller));
  };
  app.all(path, answer);
  app.all(`${path}/*`, answer);
  for (const other of door.paths ?? []) app.get(other.path, answer);
}

/** Paths that need no credentials. */
export function openPathsOf(door: MountedDoor | null): readonly string[] {
  return (door?.paths ?? []).filter(({ isOpen }) => isOpen).map(({ path }) => path);
}

function isStream({ headers, body }: Response): boolean {
  return body !== null && (headers.get("content-type") ?? "").startsWith("text/event-stream");
}

/** The same response, which reports when it has ended, or its client has left. */
function counted(response: Response, release: () => void): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(target) {
        try {
          const { done, value } = await reader.read();
          if (!done) return target.enqueue(value);
          target.close();
        } catch (error) {
          target.error(error);
        }
        release();
      },
      async cancel(reason) {
        release();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
