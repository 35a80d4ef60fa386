/** Routes for the events of a run: its stream, and events from outside. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { RunListing } from "millrace/runtime";
import { refusalError } from "../http/answer-error.js";
import { eventResponse } from "../stream/event-response.js";
import { lastEventId } from "../stream/last-event-id.js";
import { readEvent } from "../wire/read-event.js";
import { idParams, postBody, type StreamQuery, streamedEnvelope, streamHeaders, streamQuery } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import { handleOf } from "./runs-of.js";
import type { Server } from "./server.types.js";
import { keptOpen } from "./waiting.js";

const tag = "Events";

export function mountEvents(server: Server): void {
  mountStream(server);
  mount(server, {
    route: "POST /events/{id}",
    needs: ["answer", "run"],
    operation: "postEvent",
    summary: "Sends an event to a run",
    tag,
    params: idParams,
    body: postBody,
    isKeyed: true,
    answers: {
      200: ["The run has accepted the event", z.object({ status: z.literal("sent"), sequence: z.number() })],
    },
    handle: async (call) => {
      const { body, idempotencyKey, by } = call;
      const handle = handleOf(server, call);
      const facts = server.catalog.get((await handle.summary()).workflow);
      const event = readEvent(body.event, { facts, maxDepth: server.limits.bodyDepth });
      const receipt = await handle.sendEvent(event, {
        by,
        ...(typeof body.step === "string" && { step: body.step }),
        ...(idempotencyKey !== null && { key: idempotencyKey }),
      });
      if (receipt.status === "refused") throw refusalError(receipt);
      return json({ status: "sent", sequence: receipt.sequence });
    },
  });
}

function mountStream(server: Server): void {
  mount(server, {
    route: "GET /events/{id}",
    needs: ["read", "run"],
    operation: "streamEvents",
    summary: "Streams all events of a run: Server-Sent Events, or one JSON object per line",
    tag,
    params: idParams,
    query: streamQuery,
    headers: streamHeaders,
    answers: {
      200: ["Each event in this form", streamedEnvelope, ["text/event-stream", "application/x-ndjson"]],
      204: ["The run has ended, and there is nothing after that number", null],
    },
    handle: async (call) => {
      const { context, query } = call;
      const handle = handleOf(server, call);
      const listing = await handle.summary();
      const { types } = server.catalog.get(listing.workflow); // before the first byte: a stream cannot report errors
      const after = startOf(query, listing, context);
      if (listing.endedAtMs !== null && after >= listing.lastEvent) return new Response(null, { status: 204 });
      return eventResponse(handle, {
        ...keptOpen(server, call),
        format: query.sse ? "sse" : "ndjson",
        after,
        until: query.until,
        envelope: {
          types,
          withQualifiedName: query.include_qualified_name,
        },
      });
    },
  });
}

/** Number of the event after which the stream starts. */
function startOf(query: StreamQuery, { lastEvent }: RunListing, context: Context): number {
  const read = query.sse ? lastEventId(context) : undefined;
  return read ?? (query.after_sequence === "now" ? lastEvent : query.after_sequence);
}
