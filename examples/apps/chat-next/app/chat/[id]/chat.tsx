"use client";
import { useChat } from "@ai-sdk/react";
import { ChatTransport, isAnswered } from "@millrace/ai-sdk/client";
import { isToolUIPart, type UIMessage } from "ai";
import { type FormEvent, useState } from "react";

/** `messages`: what `GET /api/chat/{id}` gives. */
export function Chat({ id, messages: loaded }: { id: string; messages: UIMessage[] }) {
  const [text, setText] = useState("");
  const [transport] = useState(() => new ChatTransport({ api: "/api/chat", messages: loaded }));
  const { messages, status, sendMessage, addToolApprovalResponse, resumeStream } = useChat({
    id,
    messages: loaded,
    transport,
    resume: true, // an answer at work when the page is loaded
    sendAutomaticallyWhen: isAnswered,
    onFinish: ({ isDisconnect }) => void (isDisconnect && resumeStream()),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text });
    setText("");
  };
  const stop = () => fetch(`/api/chat/${id}/stream`, { method: "DELETE", headers: { "x-requested-with": "fetch" } });
  return (
    <main>
      {messages.map(({ id: key, role, parts }) => (
        <article key={key} className={role}>
          {parts.map((part, index) => {
            if (part.type === "text") return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part) || part.state !== "approval-requested") return null;
            const answer = (approved: boolean) => addToolApprovalResponse({ id: part.approval.id, approved });
            return (
              <fieldset key={index}>
                <legend>{JSON.stringify(part.input)}</legend>
                <button onClick={() => answer(true)}>Allow</button>
                <button onClick={() => answer(false)}>Refuse</button>
              </fieldset>
            );
          })}
        </article>
      ))}
      <form onSubmit={send}>
        <input value={text} onChange={(event) => setText(event.target.value)} />
        {status === "ready" ? (
          <button>Send</button>
        ) : (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}
