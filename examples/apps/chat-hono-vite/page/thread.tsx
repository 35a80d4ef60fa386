import { AuiIf, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { Tool } from "./tool";

const components = { Text, tools: { Fallback: Tool } };

export function Thread() {
  return (
    <ThreadPrimitive.Root>
      <main>
        <ThreadPrimitive.Messages components={{ Message }} />
      </main>
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input placeholder="My lamp is broken, I want a refund" />
        <AuiIf condition={({ thread }) => !thread.isRunning}>
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </AuiIf>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  );
}

function Message() {
  return (
    <MessagePrimitive.Root>
      <article>
        <MessagePrimitive.Parts components={components} />
      </article>
    </MessagePrimitive.Root>
  );
}

function Text({ text }: { readonly text: string }) {
  return <p>{text}</p>;
}
