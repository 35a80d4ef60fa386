/** A balancer for HTTP/2 without TLS, stream by stream: one for connections would put all streams on one process. */
import http2 from "node:http2";

interface Backend {
  readonly url: string;
  session: http2.ClientHttp2Session | null;
}

export interface Balancer extends AsyncDisposable {
  readonly uri: string;
}

export async function startBalancer(port: number, backends: readonly string[]): Promise<Balancer> {
  const pool: Backend[] = backends.map((url) => ({ url, session: null }));
  const sessions = new Set<http2.ServerHttp2Session>();
  let turn = 0;
  const server = http2.createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {}); // its streams say so
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", async (stream, headers) => {
    stream.on("error", () => {}); // it closes, too
    for (let attempt = 0; attempt < pool.length; attempt++) {
      const session = await open(pool[turn++ % pool.length] as Backend);
      if (session !== null) return relay(stream, headers, session);
    }
    stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    uri: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const { session } of pool) session?.destroy();
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null: nobody is there. */
function open(backend: Backend): Promise<http2.ClientHttp2Session | null> {
  const { session } = backend;
  if (session !== null && !session.closed && !session.destroyed) return Promise.resolve(session);
  return new Promise((resolve) => {
    const connecting = http2.connect(backend.url);
    connecting.on("error", () => resolve(null));
    connecting.once("connect", () => {
      backend.session = connecting;
      resolve(connecting);
    });
  });
}

function relay(
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  session: http2.ClientHttp2Session,
): void {
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  const upstream = session.request({
    ":method": headers[":method"],
    ":path": headers[":path"],
    ...Object.fromEntries(named),
  });
  let hasEnded = false;
  upstream.on("error", () => {}); // it closes, too
  upstream.on("response", (answer) => {
    const kept = Object.entries(answer).filter(([name]) => name === ":status" || !name.startsWith(":"));
    if (!stream.destroyed) stream.respond(Object.fromEntries(kept) as http2.OutgoingHttpHeaders);
  });
  upstream.on("data", (data: Buffer) => {
    if (stream.destroyed || stream.write(data)) return;
    upstream.pause();
    stream.once("drain", () => upstream.resume());
  });
  upstream.on("end", () => {
    hasEnded = true;
  });
  upstream.on("close", () => {
    if (stream.destroyed) return;
    if (hasEnded && upstream.rstCode === 0 && !session.destroyed) stream.end();
    else stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  });
  stream.on("close", () => {
    if (!upstream.destroyed) upstream.close(http2.constants.NGHTTP2_CANCEL);
  });
  stream.pipe(upstream);
}
