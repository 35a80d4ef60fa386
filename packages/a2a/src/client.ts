/**
 * `@millrace/a2a/client`: other agents in steps. It needs no server.
 *
 * @module
 */
export { remoteAgent } from "./client/remote-agent.js";
export type { RemoteAgent, RemoteAgentOptions, RemoteAnswer, RemoteMessage } from "./client/remote-agent.js";
export type { GuardWorkflow } from "./client/guard.js";
export type { RemoteHeaders } from "./client/open-client.js";
export type { RemoteArtifact } from "./client/remote-state.js";
