/**
 * Uses a project of `npm create millrace -- --template chat` as a person does: `node template.mjs` in its folder.
 * It allows a refund, reloads in the middle of an answer, and kills the server twice.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import * as person from "./person.mjs";

const { early, end, faults, isReady, question, refund, says, send, shoot, url } = person;

try {
  await person.start("npm", "run", "start");
  const page = await person.open(url);
  match(await page.textContent("header"), /Answers come from a script, not from a model\./);

  await send(page, refund);
  await page.waitForSelector("fieldset");
  await isReady(page);
  await shoot(page, "approval");
  await page.click("fieldset >> text=Allow");
  await says(page, person.paid);
  await isReady(page);

  await send(page, question);
  await says(page, early);
  await page.reload();
  await says(page, end);
  await isReady(page);

  await send(page, question);
  await says(page, early);
  await person.kill();
  await person.start("npm", "run", "start");
  await says(page, end);
  await isReady(page);

  await send(page, refund);
  await page.waitForSelector("fieldset");
  await isReady(page);
  await person.kill();
  await person.start("npm", "run", "start");
  await page.click("fieldset >> text=Refuse");
  await says(page, person.unpaid);
  await isReady(page);
  await shoot(page, "desktop");

  const id = new URL(page.url()).searchParams.get("chat");
  const stored = await (await fetch(`${url}/millrace/chat/${id}`)).json();
  deepEqual(await person.shownTexts(page), person.textsOf(stored));
  equal(stored.length, 8);

  const phone = await person.open(page.url(), { width: 390, height: 844 });
  await says(phone, person.unpaid);
  const isInView = "document.querySelector('article:last-of-type').getBoundingClientRect().bottom < innerHeight";
  ok(await phone.evaluate(isInView), "the page does not show the last message");
  ok(await phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than a phone");
  await send(phone, refund);
  await phone.waitForSelector("fieldset");
  await isReady(phone);
  await shoot(phone, "phone");

  await page.goto(url + (await phone.getAttribute("article:last-of-type a.run", "href")));
  await page.waitForSelector("text=May Support call refund?");
  await shoot(page, "studio");

  await person.kill();
  await person.start("npm", "run", "dev");
  await page.goto(url);
  await page.waitForSelector("text=or anything else");
  deepEqual(faults, []);
  console.log("chat: allowed, reloaded, killed twice, shown on a phone and in the studio");
} finally {
  await person.close();
}
