/** The page of the tests in Chromium: `useChat` as the guide shows it. */
import { useChat } from "@ai-sdk/react";
import { isToolUIPart, type UIMessage } from "ai";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { ChatTransport, isAnswered } from "../../src/client.js";

const id = new URLSearchParams(location.search).get("id") ?? "c1";
const loaded = (await (await fetch(`/api/chat/${id}`)).json()) as UIMessage[];
const transport = new ChatTransport({ messages: loaded });
let ids = 0;

function Page() {
  const chat = useChat({
    id,
    messages: loaded,
    transport,
    resume: true,
    generateId: () => `m${loaded.length + ids++}`,
    sendAutomaticallyWhen: isAnswered,
    onFinish: ({ isDisconnect }) => void (isDisconnect && chat.resumeStream()),
  });
  Object.assign(window, { chat });
  return h(
    "main",
    { "data-status": chat.status },
    ...chat.messages.map((message) => h(Message, { message, key: message.id, chat })),
  );
}

type Shown = { readonly message: UIMessage; readonly chat: ReturnType<typeof useChat> };

function Message({ message, chat }: Shown) {
  const approve = (id: string, approved: boolean) => () => void chat.addToolApprovalResponse({ id, approved });
  const parts = message.parts.map((part, index) => {
    if (part.type === "text") return h("p", { key: index }, part.text);
    if (!isToolUIPart(part) || part.state !== "approval-requested") return h("i", { key: index }, part.type);
    const { id } = part.approval;
    const button = (text: string, approved: boolean) =>
      h("button", { className: text, type: "button", onClick: approve(id, approved) }, text);
    return h("b", { key: index }, button("yes", true), button("no", false));
  });
  return h("article", { "data-role": message.role }, ...parts);
}

createRoot(document.getElementById("root") as HTMLElement).render(h(Page));
