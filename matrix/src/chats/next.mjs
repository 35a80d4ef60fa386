/**
 * Uses the chat of the guide in an app of Next as a person does: `node next.mjs [SCREENSHOTS]` in its folder, after
 * `next build`. It allows a refund after a restart, and reloads and kills the server in the middle of an answer.
 */
import { deepEqual, equal } from "node:assert/strict";
import * as person from "./person.mjs";

const { early, end, faults, isReady, question, refund, says, send, shoot, url } = person;
const start = () => person.start("npx", "next", "start");

try {
  await start();
  const page = await person.open(`${url}/chat/c1`);
  await send(page, question);
  await says(page, early);
  await page.reload();
  await says(page, early);
  await person.kill();
  await start();
  await says(page, end);
  await isReady(page);

  await send(page, refund);
  await page.waitForSelector("fieldset");
  await isReady(page);
  await person.kill();
  await start();
  await page.reload();
  await page.click("fieldset >> text=Allow");
  await says(page, person.paid);
  await isReady(page);
  await shoot(page, "next");

  const stored = await (await fetch(`${url}/api/chat/c1`)).json();
  deepEqual(await person.shownTexts(page), person.textsOf(stored));
  equal(stored.length, 4);
  const { chats } = await (await fetch(`${url}/api/chat`)).json();
  deepEqual(
    chats.map(({ id, title }) => [id, title]),
    [["c1", question]],
  );
  deepEqual(faults, []);
  console.log("next: reloaded, killed twice, allowed");
} finally {
  await person.close();
}
