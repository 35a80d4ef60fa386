import { useState } from "react";
import { ApiError } from "./request.js";

/** What a component sends to the server. */
export interface Sending {
  readonly isSending: boolean;
  /** Why the last one was refused. */
  readonly error: ApiError | null;
  readonly send: (work: () => Promise<void>) => void;
}

/** One thing at a time, for as long as buttons obey `isSending`. */
export function useSend(): Sending {
  const [error, setError] = useState<ApiError | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (work: () => Promise<void>): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return { isSending, error, send: (work) => void send(work) };
}
