/**
 * Uses a chat of `examples/apps` as a person does: `node app.mjs PATH COMMAND …` in its folder. It allows a refund after a restart, and
 * reloads and kills the server in the middle of an answer. The scripted model of the app is in this process, which nobody kills.
 */
import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as person from "./person.mjs";

const { early, end, faults, isReady, question, refund, says, send, shoot, url } = person;
const [path, ...command] = process.argv.slice(2);
const { startModel } = await import(pathToFileURL(join(process.cwd(), "scripted-model.ts")).href);
const model = await startModel({ wordMs: 40 });
process.env.MODEL_URL = model.url;
const start = () => person.start(...command);

try {
  await start();
  const page = await person.open(url + path);
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
  await shoot(page, "app");

  const stored = await (await fetch(`${url}/api/chat/c1`)).json();
  deepEqual(await person.shownTexts(page), person.textsOf(stored));
  equal(stored.length, 4);
  const { chats } = await (await fetch(`${url}/api/chat`)).json();
  deepEqual(
    chats.map(({ id, title }) => [id, title]),
    [["c1", question]],
  );
  deepEqual(
    model.answered.map((text) =>
      [end, "once somebody allows it", person.paid].findIndex((part) => text.includes(part)),
    ),
    [0, 1, 2],
  );
  deepEqual(faults, []);
  console.log("used: killed twice, each answer paid once");
} finally {
  await person.close();
  model[Symbol.dispose]();
}
