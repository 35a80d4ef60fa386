/**
 * The start event of a pipeline's run: a request made in this process, or fields from outside, which are checked before
 * anything is stored.
 *
 * @module
 */

import { userIdPattern } from "@millrace/executor";
import { type EventClass, type SchemaIssue, type StandardSchema, StartEvent } from "millrace";
import { placedSchema } from "millrace/engine";
import { outsideId } from "millrace/wire";
import { madeHere } from "../plan/trusted-request.js";
import { SESSION_KIND } from "../session/session-record.js";
import type { GivenRequest, PipelineStart } from "../steps/plan.types.js";
import type { PipelineOptions, PipelineRunOptions } from "./pipeline-options.js";
import { requestOf } from "./run-request.js";
import { checkInput } from "./schemas.js";

/** Length that an index of every store accepts. */
const LONGEST = 255;

const outside = ["input", "session_id", "user_id"] as const;
type Outside = Partial<Record<(typeof outside)[number], unknown>>;

export function startEventOf(pipeline: PipelineOptions): EventClass<PipelineStart> {
  const fields = {
    "~standard": {
      version: 1 as const,
      vendor: "millrace",
      validate: (given: unknown) => read(pipeline, given as object),
      jsonSchema: { input: (options: object) => jsonSchemaOf(pipeline.inputSchema, options) },
    },
  };
  class Start extends StartEvent.define("pipeline.start", fields as StandardSchema<object, object>) {
    /** Set after the caller's labels, so that the caller does not decide to whom the run belongs. */
    static runLabels({ request }: PipelineStart, runId: string): Record<string, string | null> {
      return { session: request.sessionId || runId, user: request.userId };
    }

    static runRecords({ request }: PipelineStart, runId: string): readonly { kind: string; id: string }[] {
      return [{ kind: SESSION_KIND, id: request.sessionId || runId }];
    }
  }
  return Start as never;
}

type Read = { readonly value: Pick<PipelineStart, "request"> } | { readonly issues: readonly SchemaIssue[] };

function read(pipeline: PipelineOptions, given: object): Read {
  const request = "request" in given ? madeHere<GivenRequest>(given.request) : null;
  if (request !== null) return { value: { request } };
  const { input, session_id: sessionId, user_id: userId } = given as Outside;
  const checked = checkInput(pipeline.inputSchema ?? null, input);
  const issues = [
    ...unknownFields(given),
    ...textIssues("session_id", sessionId, sessionProblem),
    ...textIssues("user_id", userId, userProblem),
    ...("issues" in checked
      ? checked.issues.map(({ path, message }) => ({ message, path: ["input", ...(path ?? [])] }))
      : []),
  ];
  if (issues.length > 0 || !("value" in checked)) return { issues };
  const options: PipelineRunOptions = {
    ...(typeof sessionId === "string" && { sessionId }),
    ...(typeof userId === "string" && { userId }),
  };
  return { value: { request: requestOf(pipeline, { input: checked.value, options, sessionId: "" }) } };
}

function unknownFields(given: object): SchemaIssue[] {
  const unknown = Object.keys(given).filter((name) => !(outside as readonly string[]).includes(name));
  return unknown.map((name) => ({
    message: `a pipeline accepts no such field, but ${outside.join(", ")}`,
    path: [name],
  }));
}

function textIssues(name: string, value: unknown, problemOf: (text: string) => string | null): SchemaIssue[] {
  if (value === undefined || value === null) return [];
  const message = typeof value !== "string" ? "it is not a string" : problemOf(value);
  return message === null ? [] : [{ message, path: [name] }];
}

/** The session is read at a path of the server. */
function sessionProblem(id: string): string | null {
  if (id === "") return "it is empty";
  return lengthProblem(id, outsideId.longest) ?? (outsideId.pattern.test(id) ? null : outsideId.meaning);
}

function userProblem(id: string): string | null {
  return lengthProblem(id, LONGEST) ?? (userIdPattern.test(id) ? null : "it has line ends or other control characters");
}

function lengthProblem({ length }: string, longest: number): string | null {
  return length > longest ? `it is longer than ${longest} characters` : null;
}

function jsonSchemaOf(inputSchema: StandardSchema | undefined, options: object): object {
  const text = { type: ["string", "null"] };
  return {
    type: "object",
    properties: {
      input: inputSchema === undefined ? {} : placedSchema(describe(inputSchema, options), ["properties", "input"]),
      session_id: { ...text, minLength: 1, maxLength: outsideId.longest, pattern: outsideId.pattern.source },
      user_id: { ...text, maxLength: LONGEST, pattern: userIdPattern.source },
    },
    ...(inputSchema !== undefined && { required: ["input"] }),
    additionalProperties: false,
  };
}

interface Describing {
  readonly jsonSchema?: { readonly input: (options: object) => object };
}

/**
 * What JSON Schema cannot express becomes `{}`, which allows anything. The schema itself checks the input when it
 * arrives.
 */
function describe(schema: StandardSchema, options: object): object {
  try {
    const described = (schema["~standard"] as Describing).jsonSchema?.input(options) ?? {};
    const { $schema: _dialect, ...rest } = described as Record<string, unknown>;
    return rest;
  } catch {
    return {};
  }
}
