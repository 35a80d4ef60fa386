/** Checks the arguments of `list_runs` and `get_run`. */
import * as z from "zod";
import { bodyInvalid } from "../http/http-error.js";
import { type HandlerPage, listRuns } from "../runs/list-runs.js";
import type { Offer } from "./mcp-scope.types.js";

const listInput = z.object({
  workflow: z.string().optional(),
  status: z.enum(["running", "completed", "failed", "cancelled"]).optional(),
  waiting: z.boolean().optional(),
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(2000).optional(),
});
const waitInput = z.object({ wait_ms: z.int().min(0).default(0) });

/** @throws {HttpError} `BODY_INVALID` */
export async function listOffered(
  { runtime, catalog, tools, tenant, sender }: Offer,
  given: Readonly<Record<string, unknown>>,
): Promise<HandlerPage> {
  const { workflow, status, waiting, limit, cursor } = read(listInput, given);
  if (workflow !== undefined && !Object.hasOwn(tools, workflow)) throw bodyInvalid(`"${workflow}" is not a tool here.`);
  const query = {
    workflow_name: (workflow === undefined ? Object.keys(tools) : [workflow]).filter((name) =>
      sender.may("read", name),
    ),
    status: status === undefined ? undefined : [status],
    waiting,
    limit,
    cursor,
  };
  return listRuns({ runtime, catalog }, { tenant, query });
}

/** @throws {HttpError} `BODY_INVALID` */
export function waitMsOf(given: Readonly<Record<string, unknown>>): number {
  return read(waitInput, given).wait_ms;
}

function read<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw bodyInvalid(issues.map(({ path, message }) => `${path}: ${message}`).join("; "), issues);
}
