/** The official client, with the binding that a test wants. */
import { randomUUID } from "node:crypto";
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";

export type Binding = "JSONRPC" | "HTTP+JSON";
export const bindings: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];

export async function clientOf(url: string, binding: Binding, token?: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, ...(token && { authorization: `Bearer ${token}` }) } });
  const transport = binding === "JSONRPC" ? JsonRpcTransportFactory : RestTransportFactory;
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
      preferredTransports: [new transport().protocolName as Binding],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  return factory.createFromUrl(url);
}

const bare = { metadata: undefined, filename: "" };
export const text = (value: string): Part => ({ content: { $case: "text", value }, mediaType: "text/plain", ...bare });
export const data = (value: unknown): Part => ({
  content: { $case: "data", value },
  mediaType: "application/json",
  ...bare,
});

export function send(
  parts: Part[],
  message: Partial<Message> = {},
  more: Partial<SendMessageRequest> = {},
): SendMessageRequest {
  return {
    tenant: "",
    configuration: undefined,
    metadata: undefined,
    message: {
      messageId: randomUUID(),
      role: Role.ROLE_USER,
      parts,
      taskId: "",
      contextId: "",
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...message,
    },
    ...more,
  };
}

export const returnAtOnce = {
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
};

export async function all(updates: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const seen: StreamResponse[] = [];
  for await (const update of updates) seen.push(update);
  return seen;
}

/** What a reader of the stream has at its end, by the rules of the protocol. */
export function folded(updates: readonly StreamResponse[]): Task {
  let task: Task | undefined;
  for (const { payload } of updates) {
    if (payload?.$case === "task") task = structuredClone(payload.value);
    if (payload?.$case === "statusUpdate" && task) task.status = payload.value.status;
    if (payload?.$case === "artifactUpdate" && task) task.artifacts = withArtifact(task.artifacts, payload.value);
  }
  return task as Task;
}

type Update = Extract<NonNullable<StreamResponse["payload"]>, { $case: "artifactUpdate" }>["value"];

function withArtifact(artifacts: readonly Artifact[], { artifact, append }: Update): Artifact[] {
  const given = artifact as Artifact;
  const known = artifacts.find(({ artifactId }) => artifactId === given.artifactId);
  if (append && known === undefined) throw new Error(`append to "${given.artifactId}", which is not there`);
  const next = append && known ? { ...known, parts: joined([...known.parts, ...given.parts]) } : given;
  return known === undefined ? [...artifacts, next] : artifacts.map((one) => (one === known ? next : one));
}

function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1)?.content;
    if (last?.$case === "text" && part.content?.$case === "text")
      all.splice(-1, 1, text(last.value + part.content.value));
    else all.push(part);
  }
  return all;
}

/** What an error of either binding says of the code of Millrace. */
export async function errorOf(failing: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  const error = await failing.then(
    () => null,
    (caught: unknown) => caught,
  );
  const { name, message, metadata, data: details } = Object(error);
  return { name, message, ...(metadata ?? details?.[0]?.metadata) };
}

/** Texts and data of an artifact. */
export function said(task: Task, id = "result"): { readonly text: string; readonly data: readonly unknown[] } {
  const parts = task.artifacts.find(({ artifactId }) => artifactId === id)?.parts ?? [];
  return {
    text: parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join(""),
    data: parts.flatMap(({ content }) => (content?.$case === "data" ? [content.value] : [])),
  };
}

/** The questions of a task that needs input. */
export function questions(
  task: Task,
): readonly { readonly promptId: string; readonly title: string; readonly schema: object }[] {
  return (task.status?.message?.parts ?? []).flatMap(({ content }) =>
    content?.$case === "data" ? [content.value] : [],
  );
}
