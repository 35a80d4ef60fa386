import { DefaultChatTransport, type HttpChatTransportInitOptions, type UIMessage, type UIMessageChunk } from "ai";
import { isOver } from "./is-answered.js";
import { untilConnected } from "./until-connected.js";

/** Options of `ChatTransport`: those of the transport of the AI SDK, with the messages that the page begins with. */
export interface ChatTransportOptions<Message extends UIMessage>
  extends Omit<
    HttpChatTransportInitOptions<Message>,
    "prepareSendMessagesRequest" | "prepareReconnectToStreamRequest"
  > {
  /** What `useChat` gets as `messages`. @default none */
  readonly messages?: readonly Message[];
}

type SendOptions<Message extends UIMessage> = Parameters<DefaultChatTransport<Message>["sendMessages"]>[0];
type ReconnectOptions = Parameters<DefaultChatTransport<UIMessage>["reconnectToStream"]>[0];

/**
 * The transport for `useChat` in front of `chatHandler`.
 *
 * It sends the last message only, because the server has the others. A message that does not reach the server is sent
 * again, which does no harm. When it resumes, it waits for a connection, and says which answer the page has to its
 * end: so an answer that has ended while the page was not connected arrives, too.
 *
 * @example
 * const [transport] = useState(() => new ChatTransport({ messages }));
 * const { resumeStream } = useChat({
 *   ...{ id, messages, transport, resume: true, sendAutomaticallyWhen: isAnswered },
 *   onFinish: ({ isDisconnect }) => void (isDisconnect && resumeStream()),
 * });
 */
export class ChatTransport<Message extends UIMessage = UIMessage> extends DefaultChatTransport<Message> {
  /** Id of the answer that the page has to its end; empty if there is none. */
  #have: string;

  constructor({ messages = [], ...options }: ChatTransportOptions<Message> = {}) {
    super({
      ...options,
      prepareSendMessagesRequest: ({ id, messages: all, trigger, messageId, body }) => {
        this.#have = "";
        return { body: { ...body, id, trigger, messageId, messages: all.slice(-1) } };
      },
      prepareReconnectToStreamRequest: ({ api, id }) => ({
        api: `${api}/${encodeURIComponent(id)}/stream?have=${encodeURIComponent(this.#have)}`,
      }),
    });
    const last = messages.at(-1);
    this.#have = last?.role === "assistant" && isOver(last) ? last.id : "";
  }

  override sendMessages(options: SendOptions<Message>): Promise<ReadableStream<UIMessageChunk>> {
    const send = () => super.sendMessages(options);
    const isRepeatable = options.trigger === "submit-message" && options.messages.at(-1)?.role === "user";
    return isRepeatable ? untilConnected(send, options.abortSignal) : send();
  }

  override reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    return untilConnected(() => super.reconnectToStream(options), options.abortSignal);
  }

  protected override processResponseStream(stream: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    let id = "";
    const watch = new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, target) => {
        if (chunk.type === "start") id = chunk.messageId ?? "";
        if (isLast(chunk)) this.#have = id;
        target.enqueue(chunk);
      },
    });
    return super.processResponseStream(stream as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(watch);
  }
}

/** Chunks that end an answer. An answer that waits ends with `finish`, too, but without its usage. */
function isLast(chunk: UIMessageChunk): boolean {
  if (chunk.type === "error" || chunk.type === "abort") return true;
  return chunk.type === "finish" && chunk.messageMetadata !== undefined;
}
