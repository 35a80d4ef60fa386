/**
 * `@millrace/server/webhooks`: signed links, which answer prompts of runs from services and from mails, and signed messages to
 * other services.
 *
 * @module
 */
export { signedLinks } from "./links/signed-links.js";
export type {
  LinkedQuestion,
  LinkHandlerOptions,
  LinkOptions,
  LinkQuestion,
  SignedLinks,
  SignedLinksOptions,
} from "./links/signed-links.js";
export type { LinkMethod } from "./links/token.js";
export { sendWebhook } from "./links/send-webhook.js";
export type { WebhookMessage } from "./links/send-webhook.js";
