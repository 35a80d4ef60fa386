import type { AgentOptions, SdkTools } from "./agent-options.types.js";
import type { CallPolicies } from "./call-policies.types.js";
import type { Member } from "./executor.types.js";
import type { StopRule } from "./loop-options.types.js";

/** Options without a default. */
type Optional =
  | "description"
  | "outputSchema"
  | "readFile"
  | "sessions"
  | "prepareStep"
  | "record"
  | "redact"
  | "prices"
  | "atBudget"
  | "toolTimeout";
type Resolved = "role" | "userId" | "enableAgenticState" | "stopWhen" | "maxRetries" | "sdkTools" | keyof CallPolicies;
type WithDefault = Exclude<keyof AgentOptions, Optional | Resolved>;

/** The options of an agent or a team with their defaults. A run never changes them. */
export type ExecutorSettings = Required<Pick<AgentOptions<unknown>, WithDefault>> &
  Pick<AgentOptions<unknown>, Optional> & {
    readonly kind: "agent" | "team";
    readonly userId: string | null;
    /** Policies of the calls of the model. */
    readonly modelCalls: CallPolicies;
    readonly stopWhen: readonly StopRule[];
    readonly sdkTools: readonly SdkTools[];
    /** Members of a team; empty for an agent. */
    readonly members: readonly Member[];
    /** The part of the leader's system prompt about its members; empty for an agent. */
    readonly memberText: string;
  };
