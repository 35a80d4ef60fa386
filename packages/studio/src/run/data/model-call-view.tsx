/** A call of a model: as a chat, or as its request and its response. */
import { type ReactNode, useState } from "react";
import { messagesOfCall } from "../../model/item-calls.js";
import type { ModelCall, ModelTool } from "../../model/model-call.js";
import { type Choice, Segmented } from "../../ui/controls.js";
import { duration, grouped } from "../../ui/format.js";
import { JsonTree } from "../../ui/json-tree.js";
import { Message } from "../chat-view.js";
import { DatumSection } from "./datum-section.js";

type View = "chat" | "request";
const views: readonly Choice<View>[] = [
  { value: "chat", label: "Chat" },
  { value: "request", label: "Request and response" },
];

/** The choice stays from call to call. */
let lastView: View = "chat";

export function ModelCallView({ call }: { readonly call: ModelCall }): ReactNode {
  const [view, setView] = useState(lastView);
  const choose = (chosen: View): void => {
    lastView = chosen;
    setView(chosen);
  };
  return (
    <>
      {call.record !== "none" && <ModelFacts call={call} />}
      {call.record === "none" && (
        <p className="muted">A call that has not succeeded has no record: this follows from the calls before it.</p>
      )}
      {(call.record === "off" || call.record === "redacted") && (
        <p className="muted">
          {call.record === "off" ? "The request was not recorded." : "Parts of the request were not recorded."} The
          agent says so with <code>record: "{call.record}"</code>.
        </p>
      )}
      <div>
        <Segmented label="Show the call as" choices={views} value={view} onChange={choose} />
      </div>
      {view === "chat" ? <CallChat call={call} /> : <RequestAndResponse call={call} />}
    </>
  );
}

function ModelFacts({ call: { model, usage, finishReason } }: { readonly call: ModelCall }): ReactNode {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens, firstTokenMs, cost } = usage;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ["Model", model],
    ["Input", `${grouped(inputTokens)} tokens${cacheReadTokens > 0 ? `, ${grouped(cacheReadTokens)} cached` : ""}`],
    [
      "Output",
      `${grouped(outputTokens)} tokens${reasoningTokens > 0 ? `, ${grouped(reasoningTokens)} of reasoning` : ""}`,
    ],
    ["First token", firstTokenMs === null ? null : duration(firstTokenMs)],
    ["Cost", cost === null ? null : String(Number(cost.toPrecision(3)))],
    ["Ended with", finishReason],
  ];
  return (
    <dl className="callfacts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

function CallChat({ call }: { readonly call: ModelCall }): ReactNode {
  return (
    <section className="chat callchat" aria-label="Chat">
      {messagesOfCall(call).map((message, place) => (
        <Message key={String(place)} message={message} />
      ))}
    </section>
  );
}

function RequestAndResponse({ call }: { readonly call: ModelCall }): ReactNode {
  const { instructions, messages, tools, toolChoice, settings, answer } = call;
  return (
    <>
      {instructions !== null && <DatumSection title="Instructions" datum={{ type: null, value: instructions }} />}
      {messages.length > 0 && <DatumSection title="Messages" datum={{ type: null, value: messages as never }} isTree />}
      {tools.length > 0 && <Tools tools={tools} />}
      <DatumSection title="Settings" datum={{ type: null, value: { ...settings, toolChoice } }} />
      <DatumSection title="Response" datum={{ type: null, value: answer as never }} isTree />
    </>
  );
}

function Tools({ tools }: { readonly tools: readonly ModelTool[] }): ReactNode {
  return (
    <section className="datum" aria-label="Tools">
      <h3>Tools</h3>
      {tools.map(({ name, description, schema }) => (
        <details key={name}>
          <summary>
            <code>{name}</code> <span className="muted">{description}</span>
          </summary>
          <JsonTree value={schema} empty="It takes no arguments." />
        </details>
      ))}
    </section>
  );
}
