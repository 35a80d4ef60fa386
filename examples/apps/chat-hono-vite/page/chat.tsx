"use client";
import { useChat } from "@ai-sdk/react";
import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import { ChatTransport, isAnswered } from "@millrace/ai-sdk/client";
import type { UIMessage } from "ai";
import { useState } from "react";
import { Thread } from "./thread";

export function Chat({ id, messages }: { id: string; messages: UIMessage[] }) {
  const [transport] = useState(() => new ChatTransport({ messages }));
  const chat = useChat({
    ...{ id, messages, transport, resume: true, sendAutomaticallyWhen: isAnswered },
    onFinish: ({ isDisconnect }) => void (isDisconnect && chat.resumeStream()),
  });
  return (
    <AssistantRuntimeProvider runtime={useAISDKRuntime(chat)}>
      <Thread />
    </AssistantRuntimeProvider>
  );
}
