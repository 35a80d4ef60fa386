/** Messages of agents, as they were written. */
import type { ReactNode } from "react";
import type { Chat, ChatMessage, ChatPart, Usage } from "../model/chat.js";
import { grouped } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

export function ChatView({ chats }: { readonly chats: readonly Chat[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="scroll chat" tabIndex={0} aria-label="Messages of agents">
      {chats.map(({ title, messages, usage }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two agents may have one name
        <article key={index} aria-label={title}>
          <h3 className="cut">{title}</h3>
          {usage !== null && <p className="muted num small">{usageText(usage)}</p>}
          {messages.map((message, place) => (
            <Message key={String(place)} message={message} />
          ))}
        </article>
      ))}
    </section>
  );
}

function usageText({ inputTokens, outputTokens, cost }: Usage): string {
  const tokens = `${grouped(inputTokens)} + ${grouped(outputTokens)} tokens`;
  return cost === null ? tokens : `${tokens} · cost ${Number(cost.toPrecision(3))}, as the provider reports it`;
}

const names: Readonly<Record<string, string>> = { user: "User", assistant: "Agent", system: "System", tool: "Tool" };

export function Message({ message: { role, parts } }: { readonly message: ChatMessage }): ReactNode {
  return (
    <div className={`bubble ${role}`}>
      <span className="role">{names[role] ?? role}</span>
      {parts.map((part, index) => (
        <Part key={String(index)} part={part} />
      ))}
    </div>
  );
}

function Part({ part: { kind, text, name } }: { readonly part: ChatPart }): ReactNode {
  if (kind === "text") return <p>{text}</p>;
  if (kind === "reasoning") {
    return (
      <details>
        <summary>Reasoning</summary>
        <p>{text}</p>
      </details>
    );
  }
  if (kind === "note")
    return (
      <p className="tool">
        <Icon name="person" className="xs" />
        {text}
      </p>
    );
  const isResult = kind === "result";
  return (
    <p className="tool">
      <Icon name={isResult ? "done" : kind === "file" ? "db" : "effect"} className="xs" />
      {name !== null && <b>{name}</b>}
      <code>{text}</code>
    </p>
  );
}
