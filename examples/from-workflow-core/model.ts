/** A model that says the same every time: it calls two tools at once, and then answers from what they gave. */
export interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly location?: string };
}

export async function llm(messages: readonly Message[]): Promise<Message> {
  const facts = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  if (facts.length > 0) return { role: "assistant", content: facts.toSorted().join(" ") };
  const toolCalls = [
    { id: "call-1", name: "get_weather", args: { location: "San Francisco" } },
    { id: "call-2", name: "human_ask_name", args: {} },
  ];
  return { role: "assistant", content: "", toolCalls };
}

export async function callTool({ name, args }: ToolCall): Promise<string> {
  return name === "get_weather" ? `The weather in ${args.location} is sunny and 72°F.` : `Unknown tool: ${name}.`;
}

export const question: readonly Message[] = [
  { role: "user", content: "What's the weather in San Francisco and what is the user's name?" },
];
