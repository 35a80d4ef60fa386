import { MillraceModule } from "@millrace/nestjs";
import { sqliteStore } from "@millrace/sqlite";
import { Module } from "@nestjs/common";
import { Refund } from "./refund.workflow.js";
import { Refunds } from "./refunds.controller.js";
import { ServicesModule } from "./services.module.js";

@Module({
  imports: [
    MillraceModule.forRoot({
      imports: [ServicesModule],
      workflows: { refund: Refund },
      store: () => sqliteStore(process.env["DATABASE"] ?? "runs.db"),
      drainMs: 20_000, // running steps finish before the process ends
      path: "flows", // give `server` an `auth`, as soon as others than you reach it
    }),
  ],
  controllers: [Refunds],
})
export class AppModule {}
