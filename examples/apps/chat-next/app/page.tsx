import { redirect } from "next/navigation";

export const dynamic = "force-dynamic";

/** A new chat for each visit; its address shows it again. */
export default function Page() {
  redirect(`/chat/${crypto.randomUUID()}`);
}
