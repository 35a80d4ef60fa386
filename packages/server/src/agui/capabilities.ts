/** What a workflow can, in the form of the protocol. */
import type { AgentCapabilities } from "@ag-ui/core";
import { version } from "../version.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import { present } from "./message-list.js";
import { isAgent } from "./run-input.js";

export function capabilitiesOf(facts: WorkflowFacts, show: readonly string[]): AgentCapabilities {
  const { name, compiled } = facts;
  const isOfAgent = isAgent(facts);
  const { description } = compiled.options;
  return {
    identity: { name, type: "millrace", version, ...present({ description: description ?? undefined }) },
    transport: { streaming: true, websocket: false, httpBinary: false, pushNotifications: false, resumable: true },
    tools: { supported: true, parallelCalls: true, clientProvided: isOfAgent },
    state: { snapshots: show.length > 0, deltas: show.length > 0, persistentState: false },
    reasoning: { supported: true, streaming: true, encrypted: false },
    multimodal: { input: { image: isOfAgent, audio: isOfAgent, video: isOfAgent, pdf: isOfAgent, file: isOfAgent } },
    humanInTheLoop: { supported: true, approvals: true, interventions: true, interrupts: true, approveWithEdits: true },
  };
}
