/** The shop as a process of Nest over a file of SQLite: `node shop-process.ts ADAPTER DATABASE PORT LOG`. */
import { appendFileSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { MillraceModule } from "../../src/index.js";
import { adapters } from "./adapters.js";
import { greet, Mailer, MailModule, Refund } from "./shop.js";

const [, , adapter = "", database = "", port = "", log = ""] = process.argv;

class App {}
Module({
  imports: [
    MillraceModule.forRoot({
      imports: [MailModule],
      workflows: { refund: Refund, greet },
      store: () => sqliteStore(database),
      leaseMs: 500,
      path: "flows",
    }),
  ],
})(App); // the syntax of decorators is not for Node

const app = await NestFactory.create(App, adapters[adapter as keyof typeof adapters](), { logger: ["error"] });
app.enableShutdownHooks();
app.get(Mailer).send = (text) => appendFileSync(log, `${text}\n`);
await app.listen(Number(port), "127.0.0.1");
process.send?.("ready");
