import { useChat } from "@ai-sdk/react";
import { ChatTransport, isAnswered } from "@millrace/ai-sdk/client";
import type { UIMessage } from "ai";
import { useState } from "react";
import { Part } from "./part.tsx";

const api = "/millrace/chat";

interface ChatProps {
  readonly id: string;
  readonly messages: UIMessage[];
  readonly isScripted: boolean;
}

export function Chat({ id, messages: loaded, isScripted }: ChatProps) {
  const [transport] = useState(() => new ChatTransport({ api, messages: loaded }));
  const { messages, status, error, sendMessage, addToolApprovalResponse, resumeStream } = useChat({
    id,
    messages: loaded,
    transport,
    resume: true, // an answer that is at work when the page is loaded
    sendAutomaticallyWhen: isAnswered,
    onFinish: ({ isDisconnect }) => void (isDisconnect && resumeStream()),
  });
  const isBusy = status === "submitted" || status === "streaming";
  const stop = () => fetch(`${api}/${id}/stream`, { method: "DELETE", headers: { "x-requested-with": "fetch" } });
  return (
    <>
      <header>
        <h1>Support</h1>
        <nav>
          <a href="/">New chat</a>
          <a href="/millrace/studio/" target="studio">
            Studio
          </a>
        </nav>
        {isScripted && <p className="note">Answers come from a script, not from a model.</p>}
      </header>
      <main data-status={status}>
        <div>
          {messages.length === 0 && (
            <p className="note">Write “My lamp is broken, I want a refund”, or anything else.</p>
          )}
          {messages.map((message) => (
            <article key={message.id} className={message.role}>
              {message.parts.map((part, index) => (
                <Part
                  key={index}
                  part={part}
                  onAnswer={(approvalId, approved) => void addToolApprovalResponse({ id: approvalId, approved })}
                />
              ))}
              {message.role === "assistant" && (
                <a className="run" href={`/millrace/studio/#/run/${message.id}`} target="studio">
                  View run
                </a>
              )}
            </article>
          ))}
          {status === "submitted" && <p className="note">…</p>}
          {error && <p role="alert">{textOf(error)}</p>}
        </div>
      </main>
      <Composer isBusy={isBusy} onSend={(text) => void sendMessage({ text })} onStop={() => void stop()} />
    </>
  );
}

interface ComposerProps {
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (isBusy || text.trim() === "") return;
    onSend(text);
    setText("");
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Message"
        placeholder="Message"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {isBusy ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={text.trim() === ""}>
          Send
        </button>
      )}
    </form>
  );
}

/** The server refuses with `{ code, detail, hint }`; an answer that has failed has a code alone. */
function textOf({ message }: Error): string {
  try {
    const { detail, hint } = JSON.parse(message) as { readonly detail: string; readonly hint?: string };
    return [detail, hint].filter(Boolean).join(" ");
  } catch {
    return message;
  }
}
