import { ClientError } from "@millrace/client";
import { useState } from "react";

/** What a component sends to the server. */
export interface Sending {
  readonly isSending: boolean;
  /** Why the last one was refused. */
  readonly error: ClientError | null;
  readonly send: (work: () => Promise<void>) => void;
}

/** One thing at a time, for as long as buttons obey `isSending`. */
export function useSend(): Sending {
  const [error, setError] = useState<ClientError | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (work: () => Promise<void>): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      if (!(failure instanceof ClientError)) throw failure;
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return { isSending, error, send: (work) => void send(work) };
}
