import type { UIMessage } from "ai";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat";
import "./style.css";

/** The id of the chat is in the address, so a reload shows the same one. */
const address = new URL(location.href);
const id = address.searchParams.get("chat") ?? crypto.randomUUID();
address.searchParams.set("chat", id);
history.replaceState(null, "", address);

const messages = (await (await fetch(`/api/chat/${id}`)).json()) as UIMessage[];
createRoot(document.getElementById("root") as HTMLElement).render(<Chat id={id} messages={messages} />);
