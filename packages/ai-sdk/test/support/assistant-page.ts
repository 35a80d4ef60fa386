/** The page of assistant-ui in Chromium, as the guide shows it. */
import { useChat } from "@ai-sdk/react";
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import type { UIMessage } from "ai";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { ChatTransport, isAnswered } from "../../src/client.js";

const id = new URLSearchParams(location.search).get("id") ?? "c1";
const loaded = (await (await fetch(`/api/chat/${id}`)).json()) as UIMessage[];
const transport = new ChatTransport({ messages: loaded });

function Page() {
  const chat = useChat({
    id,
    messages: loaded,
    transport,
    resume: true,
    sendAutomaticallyWhen: isAnswered,
    onFinish: ({ isDisconnect }) => void (isDisconnect && chat.resumeStream()),
  });
  Object.assign(window, { chat });
  return h(AssistantRuntimeProvider, { runtime: useAISDKRuntime(chat) }, h(Thread, { status: chat.status }));
}

function Thread({ status }: { readonly status: string }) {
  return h(
    ThreadPrimitive.Root,
    null,
    h("main", { "data-status": status }, h(ThreadPrimitive.Messages, { components: { Message } })),
    h(
      ComposerPrimitive.Root,
      null,
      h(ComposerPrimitive.Input),
      h(ComposerPrimitive.Send, { className: "send" }, "Send"),
    ),
  );
}

const components = { Text, tools: { Fallback: Tool } };

function Message() {
  return h(MessagePrimitive.Root, null, h("article", null, h(MessagePrimitive.Parts, { components })));
}

function Text({ text }: { readonly text: string }) {
  return h("p", null, text);
}

function Tool({ toolName, result, approval, respondToApproval }: ToolCallMessagePartProps) {
  const isOpen = approval !== undefined && approval.approved === undefined && result === undefined;
  if (!isOpen) return h("i", null, `${toolName}: ${JSON.stringify(result)}`);
  const button = (name: string, approved: boolean) =>
    h("button", { className: name, type: "button", onClick: () => respondToApproval({ approved }) }, name);
  return h("b", null, button("yes", true), button("no", false));
}

createRoot(document.getElementById("root") as HTMLElement).render(h(Page));
