/** Signed links. They come before `auth`, because a link is its own credential. */
import type { SignedLinks } from "../links/signed-links.js";
import type { Server } from "./server.types.js";

export function mountLinks({ app, runtime, limits, options }: Server, links: SignedLinks): void {
  const answer = links.handler(runtime, { limits, log: options.log });
  app.all("/links/:link", ({ req }) => answer(req.raw));
}
