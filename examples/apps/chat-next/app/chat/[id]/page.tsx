import { headers } from "next/headers";
import { GET } from "../../api/chat/[[...path]]/route";
import { Chat } from "./chat";

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const request = new Request(`http://localhost/api/chat/${id}`, { headers: await headers() });
  const messages = await (await GET(request)).json();
  return <Chat id={id} messages={messages} />;
}
