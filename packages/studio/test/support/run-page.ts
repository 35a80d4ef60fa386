/** What is where on the page of a run. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export const badge = (page: Page) => page.locator(".runhead .badge");
export const node = (page: Page, step: string) => page.locator(`.node[data-step="${step}"]`);
export const where = (page: Page) => page.locator(".where b");
export const row = (page: Page, text: string) => page.getByRole("option").filter({ hasText: text });

/** Polls, as the page follows the run by itself. */
export const textOf = (locator: Locator) => expect.poll(() => locator.first().textContent());
