// `demo/express/4-adding-hitl.ts` of workflow-core 1.3.4, with a model that needs no key.
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";
import { createStatefulMiddleware, type SnapshotData } from "@llamaindex/workflow-core/middleware/state";
import { callTool, llm, type Message, question, type ToolCall } from "../model.js";

interface AgentState {
  expectedToolCount: number;
  messages: readonly Message[];
  toolResponses: Message[];
  humanToolId: string | null;
}

const { withState } = createStatefulMiddleware((state: AgentState) => state);
const workflow = withState(createWorkflow());

const userInputEvent = workflowEvent<{ messages: readonly Message[] }>();
const toolCallEvent = workflowEvent<{ toolCall: ToolCall }>();
const toolResponseEvent = workflowEvent<Message>();
const finalResponseEvent = workflowEvent<string>();
const humanRequestEvent = workflowEvent();
const humanResponseEvent = workflowEvent<string>();

workflow.handle([userInputEvent], async ({ sendEvent, state }, { data: { messages } }) => {
  const response = await llm(messages);
  state.messages = [...messages, response];
  if (response.toolCalls) {
    state.expectedToolCount = response.toolCalls.length;
    for (const toolCall of response.toolCalls) sendEvent(toolCallEvent.with({ toolCall }));
  } else {
    sendEvent(finalResponseEvent.with(response.content));
  }
});

workflow.handle([toolResponseEvent], async ({ sendEvent, state }, { data }) => {
  state.toolResponses.push(data);
  if (state.toolResponses.length === state.expectedToolCount) {
    sendEvent(userInputEvent.with({ messages: [...state.messages, ...state.toolResponses] }));
  }
});

workflow.handle([toolCallEvent], async ({ sendEvent, state }, { data: { toolCall } }) => {
  if (toolCall.name.startsWith("human_")) {
    state.humanToolId = toolCall.id;
    sendEvent(humanRequestEvent.with());
    sendEvent(finalResponseEvent.with("Waiting for human response"));
  } else {
    const content = await callTool(toolCall);
    sendEvent(toolResponseEvent.with({ role: "tool", content, toolCallId: toolCall.id }));
  }
});

workflow.handle([humanResponseEvent], async ({ sendEvent, state }, { data }) => {
  if (!state.humanToolId) throw new Error("No human tool id");
  sendEvent(toolResponseEvent.with({ role: "tool", content: `My name is ${data}.`, toolCallId: state.humanToolId }));
});

export async function runOriginal(name: string): Promise<string> {
  const context = workflow.createContext({ expectedToolCount: 0, messages: [], toolResponses: [], humanToolId: null });
  let snapshot: Promise<SnapshotData> | undefined;
  context.stream.on(humanRequestEvent, () => {
    snapshot = context.snapshot();
  });
  context.sendEvent(userInputEvent.with({ messages: question }));
  await context.stream.until(finalResponseEvent).toArray();
  if (snapshot === undefined) throw new Error("No snapshot data");

  const resumed = workflow.resume(await snapshot);
  resumed.sendEvent(humanResponseEvent.with(name));
  return (await resumed.stream.until(finalResponseEvent).toArray()).at(-1)?.data;
}
