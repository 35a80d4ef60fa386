/**
 * The agent card: what the workflows are, and what they take. The schemas of their inputs are in an extension, because a skill of the
 * protocol has none.
 *
 * @module
 */
import { A2A_PROTOCOL_VERSION, AgentCard } from "@a2a-js/sdk";
import { anyEventJsonSchema, type WorkflowCatalog } from "@millrace/server/door";
import { fieldsOf } from "../message/message-input.js";
import type { Skill } from "../requests/task-host.types.js";

/** Facts of the card that the workflows do not say. */
export interface CardFacts {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly provider?: { readonly organization: string; readonly url: string };
  /** How callers identify themselves, as the protocol writes it in JSON. */
  readonly securitySchemes?: Readonly<Record<string, unknown>>;
  readonly securityRequirements?: readonly unknown[];
}

/** Identifies the extension with the schemas: `params.skills` has an `input` for each skill. */
export const schemasUri = "urn:millrace:a2a:schemas";

interface CardSource {
  readonly facts: CardFacts;
  readonly skills: Readonly<Record<string, Skill>>;
  readonly catalog: WorkflowCatalog;
  readonly pushNotifications: boolean;
  /** `true`: a function reads the messages, so that every skill may take text. */
  readonly readsText: boolean;
}

const json = "application/json";
const text = "text/plain";

/** @param url Address of the door. */
export function agentCard(
  { facts, skills, catalog, pushNotifications, readsText }: CardSource,
  url: string,
): AgentCard {
  const { securitySchemes = {}, securityRequirements = [], ...named } = facts;
  const input = (name: string): object => anyEventJsonSchema(catalog.get(name).compiled.startClasses);
  const schemas = Object.fromEntries(Object.keys(skills).map((name) => [name, { input: input(name) }]));
  return AgentCard.fromJSON({
    ...named,
    supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion: A2A_PROTOCOL_VERSION,
    })),
    capabilities: {
      streaming: true,
      pushNotifications,
      extendedAgentCard: false,
      extensions: [
        {
          uri: schemasUri,
          description: "JSON Schemas of the data parts that begin a task, by skill.",
          required: false,
          params: { skills: schemas },
        },
      ],
    },
    securitySchemes,
    securityRequirements,
    defaultInputModes: [json, text],
    defaultOutputModes: [text, json],
    skills: Object.entries(skills).map(([id, { name = id, description, tags = [], examples = [] }]) => ({
      id,
      name,
      description,
      tags,
      examples,
      inputModes: readsText || fieldsOf(catalog.get(id)).text !== null ? [json, text] : [json],
    })),
  });
}
