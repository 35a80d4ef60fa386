import type { UIMessage } from "ai";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";

/** The id of the chat is in the address, so a reload shows the same one. */
const address = new URL(location.href);
const id = address.searchParams.get("chat") ?? crypto.randomUUID();
address.searchParams.set("chat", id);
history.replaceState(null, "", address);

const load = async <Value,>(path: string): Promise<Value> => (await fetch(path)).json() as Promise<Value>;
const [messages, { isScripted }] = await Promise.all([
  load<UIMessage[]>(`/millrace/chat/${id}`),
  load<{ readonly isScripted: boolean }>("/about"),
]);

createRoot(document.getElementById("root") as HTMLElement).render(
  <Chat id={id} messages={messages} isScripted={isScripted} />,
);
